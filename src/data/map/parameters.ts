/** The parameters of a map's address: those of the rows, and the map's own `_colour` and `_width`. */
import { didYouMean } from '../../catalogue/closest.ts';
import { excerpt, NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { defaultMapWidth, type TileAddress } from '../../catalogue/maps.ts';
import { haveAggregates } from '../../catalogue/row-parameters.ts';
import { ParameterError } from '../errors.ts';
import { type DataQuery, parseDataQuery } from '../query/parameters.ts';
import { columnNames, columnType, findColumn, type TableSchema } from '../row.ts';
import { maxZoom } from './mercator.ts';

export interface MapQuery {
  readonly query: DataQuery;
  /** Name of the column that colours the map. */
  readonly colour: string | undefined;
  /** In pixels. */
  readonly width: number;
}

const [leastWidth, mostWidth] = [100, 2000];

/**
 * Parses the query string of a map. `width` also works without its underscore if no column has that name.
 * @param length of the raw query string in bytes
 * @throws ValidationError
 */
export function parseMapQuery(
  pairs: readonly (readonly [string, string])[],
  schema: TableSchema,
  length?: number,
): MapQuery {
  const isWidth = (name: string) => name === '_width' || (name === 'width' && !columnType(name, schema));
  const query = parseDataQuery(
    pairs.filter(([name]) => name !== '_colour' && !isWidth(name)),
    schema,
    undefined,
    length,
  );
  if (haveAggregates(pairs))
    throw new ValidationError({
      non_field_errors: ['Groups of rows have no geometry: leave out _group_by and _aggregate.'],
    });
  const width = pairs.findLast(([name]) => isWidth(name));
  const colour = pairs.findLast(([name]) => name === '_colour')?.[1];
  return {
    query,
    colour: colour ? parseColour(colour, schema) : undefined,
    width: width ? parseWidth(width) : defaultMapWidth,
  };
}

function parseColour(name: string, schema: TableSchema): string {
  const refuse = (message: string) => new ValidationError({ _colour: [message] });
  try {
    const column = findColumn(name, schema);
    if (!column) throw refuse(`Unknown column "${excerpt(name)}".${didYouMean(name, columnNames(schema))}`);
    if (!colourTypes.includes(column.type))
      throw refuse(
        `The column "${excerpt(column.name)}" is of type ${column.type}. A map is coloured by a number, a text, a boolean or a date.`,
      );
    return column.name;
  } catch (error) {
    if (error instanceof ParameterError) throw refuse(error.message);
    throw error;
  }
}

const colourTypes: readonly string[] = ['integer', 'float', 'string', 'boolean', 'date'];

function parseWidth([name, text]: readonly [string, string]): number {
  const width = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (width >= leastWidth && width <= mostWidth) return width;
  throw new ValidationError({
    [name]: [`"${excerpt(text)}" is not a width: a whole number of pixels from ${leastWidth} to ${mostWidth}.`],
  });
}

/**
 * Checks the address of a tile, as it stands in the path.
 * @throws ValidationError if it isn't one; NotFoundError if the world has no such tile
 */
export function parseTileAddress(texts: { readonly z: string; readonly x: string; readonly y: string }): TileAddress {
  for (const [name, text] of Object.entries(texts))
    if (!/^(0|[1-9]\d{0,8})$/.test(text))
      throw new ValidationError({ [name]: [`"${excerpt(text)}" is not a whole number.`] });
  const address = { z: Number(texts.z), x: Number(texts.x), y: Number(texts.y) };
  assertTileExists(address);
  return address;
}

/** @throws ValidationError, NotFoundError, as `parseTileAddress` */
export function assertTileExists({ z, x, y }: TileAddress): void {
  if (z > maxZoom) throw new ValidationError({ z: [`The deepest zoom is ${maxZoom}. Enlarge the tiles of that one.`] });
  const last = 2 ** z - 1;
  if (x > last || y > last)
    throw new NotFoundError(`There is no such tile: at zoom ${z}, columns and rows go from 0 to ${last}.`);
}
