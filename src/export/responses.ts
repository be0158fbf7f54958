/** Responses of the app to an export, and the reason of one that fails: the address, and the error behind it. */
import type { RequestListener } from 'node:http';
import { CatalogueError, ObjectStoreError, UnavailableError } from '../catalogue/errors.ts';
import { getWholeOrStream } from '../server/in-process.ts';

/** Statuses of an export: a file, a redirect to another address, and what the public can't have (private, absent, not in this format). */
const expected = [200, 301, 302, 303, 307, 308, 401, 404, 406];

/** True if a status is no defect. Rows of a saved query are 400 as GeoJSON if they are groups, and if a column that it names is gone. */
const isExpected = (status: number, path: string): boolean =>
  expected.includes(status) || (status === 400 && path.includes('/api/v1/queries/'));

/** Makes an app. @param onError called with the error behind each response that fails */
export type MakeListener = (onError: (error: unknown) => void) => RequestListener;

export interface Response {
  readonly status: number;
  /** The bytes, if the app has them as a whole. */
  readonly whole: Buffer | null;
  readonly parts: AsyncIterator<Buffer>;
  /** Ends the response before it is read. */
  drop(): void;
}

export class Responses {
  readonly #listener: RequestListener;
  /** Error of the present response. */
  #error: unknown;

  constructor(makeListener: MakeListener) {
    this.#listener = makeListener((error) => {
      this.#error ??= error;
    });
  }

  /** The response to a GET, one at a time. @throws ObjectStoreError, UnavailableError or Error that names the address and the reason */
  async get(path: string, accept: string): Promise<Response> {
    this.#error = undefined;
    const response = await getWholeOrStream(this.#listener, path, accept).catch((error) => {
      throw this.#failure(path, error);
    });
    const { status } = response;
    const drop = () => void ('body' in response && response.body.destroy());
    if (!isExpected(status, path)) {
      drop();
      throw this.#failure(path, new Error(`The status is ${status}.`));
    }
    if ('bytes' in response) return { status, whole: response.bytes, parts: partsOf(response.bytes), drop };
    return { status, whole: null, parts: this.#read(path, response.body), drop };
  }

  async *#read(path: string, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* body;
    } catch (error) {
      throw this.#failure(path, error);
    }
  }

  /** @param symptom what is known if the app has not given its error */
  #failure(path: string, symptom: unknown): Error {
    const cause = this.#error ?? symptom;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `${path} can't be exported: ${reason}`;
    if (cause instanceof ObjectStoreError) return new ObjectStoreError(message, { cause });
    return cause instanceof CatalogueError ? new UnavailableError(message, { cause }) : new Error(message, { cause });
  }
}

async function* partsOf(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield bytes;
}
