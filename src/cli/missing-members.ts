/** Groups and users that an input names and the catalogue lacks. Rules speak of files; here, the error says what to type. */
import type { Catalogue, CreatableKind, Input, WritableKind } from '../catalogue/catalogue.ts';
import { closestWord } from '../catalogue/closest.ts';
import { excerpt, MovedError, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { fieldNamed, fieldsOf } from '../catalogue/fields.ts';
import { formatRef, formatUserReader, usernameOfReader } from '../catalogue/ref.ts';
import type { Call } from './command.ts';
import { listEntities } from './lookup.ts';
import { typedCommand } from './typed-command.ts';

/**
 * The error of a write, with a command for each group and user that is missing.
 * @param error another than that of missing names stays as it is
 */
export async function withCommandsForMissing(
  call: Call,
  catalogue: Catalogue,
  kind: CreatableKind,
  input: Input,
  error: ValidationError,
): Promise<ValidationError> {
  const fields: Record<string, readonly string[]> = { ...error.fields };
  for (const [field, messages] of Object.entries(fields)) {
    const { link } = fieldNamed(kind, field) ?? {};
    const values = input[field];
    if ((link !== 'group' && link !== 'user') || !Array.isArray(values)) continue;
    if (!messages.some((message) => message.startsWith('There is no '))) continue;
    const [groups, users] = await Promise.all([namesOf(catalogue, 'group'), namesOf(catalogue, 'user')]);
    const known = { group: groups, user: users };
    const found: string[] = [];
    for (const value of values.map(String)) {
      const username = field === 'readers' ? usernameOfReader(value) : undefined;
      const [of, name] = username === undefined ? ([link, value] as const) : (['user', username] as const);
      if (known[of].includes(name)) continue;
      const now = await presentName(catalogue, of, name);
      if (now !== undefined) found.push(`${excerpt(name)} is called ${excerpt(now)} now. Use that name.`);
      else if (of === 'group' && users.includes(name)) found.push(messageAboutUser(call, field, name));
      else found.push(messageAboutMissing(call, of, name, known[of]));
    }
    if (found.length) fields[field] = found;
  }
  return new ValidationError(fields);
}

/**
 * Checks that an input for a remote has no former names of groups. A server follows them, as it follows former addresses; a folder
 * refuses them.
 * @throws ValidationError as a folder does
 */
export async function assertNoFormerNames(catalogue: Catalogue, kind: WritableKind, input: Input): Promise<void> {
  const errors: Record<string, readonly string[]> = {};
  for (const { name: field, link } of fieldsOf(kind)) {
    const values = input[field];
    if (link !== 'group' || !Array.isArray(values)) continue;
    for (const value of values.map(String))
      if (usernameOfReader(value) === undefined && (await presentName(catalogue, 'group', value)) !== undefined)
        errors[field] = [`There is no group ${excerpt(value)}.`];
  }
  if (Object.keys(errors).length) throw new ValidationError(errors);
}

const namesOf = async (catalogue: Catalogue, kind: 'group' | 'user') =>
  (await listEntities<typeof kind>(catalogue, kind, {})).map(({ slug }) => slug);

/** The present name of a group that was renamed; undefined if none was called so. */
async function presentName(catalogue: Catalogue, kind: 'group' | 'user', slug: string): Promise<string | undefined> {
  try {
    await catalogue.get<typeof kind>({ kind, slug });
  } catch (error) {
    if (error instanceof MovedError) return formatRef(error.to);
    if (!(error instanceof NotFoundError || error instanceof ValidationError)) throw error;
  }
  return undefined;
}

function messageAboutUser(call: Call, field: string, name: string): string {
  if (field === 'readers')
    return `There is no group ${excerpt(name)}. For the user, write ${excerpt(formatUserReader(name))}.`;
  const command = typedCommand(call, `group add GROUP --label … --member ${name}`);
  return `There is no group ${excerpt(name)}: that is a user. Name a group of that user, or add one with: ${command}`;
}

function messageAboutMissing(call: Call, kind: 'group' | 'user', name: string, known: readonly string[]): string {
  const meant = closestWord(name, known);
  const command = typedCommand(call, `${kind} add`, [name]);
  return (
    `There is no ${kind} ${excerpt(name)}. ${meant ? `Did you mean ${meant}? ` : ''}` +
    `Add it with: ${command}${kind === 'group' ? ' --label …' : ''}`
  );
}
