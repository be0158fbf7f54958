/** Errors of the object store as sentences that say what to do. They name no bucket, address or key: readers see them, too. */
import {
  CatalogueError,
  DamagedObjectError,
  ObjectStoreError,
  ServiceReport,
  UnavailableError,
} from '../../catalogue/errors.ts';

/** The parts of an error of the AWS SDK that say what happened. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const packages = '@aws-sdk/client-s3 @aws-sdk/lib-storage @aws-sdk/s3-request-presigner';

export const noStoreError = () =>
  new ObjectStoreError(
    'The payload lies in an object store, and catalogue.yaml names no object store: add "store: s3://bucket/folder" under payloads.',
  );

export const noPackagesError = (cause: unknown) =>
  new ObjectStoreError(`The packages for the object store are not installed. Run: npm install ${packages}`, { cause });

export const missingObjectError = (checksum: string) =>
  new DamagedObjectError(
    `The object store lacks the payload with the checksum ${checksum}. Restore the object, or publish the payload again.`,
  );

export const wrongBytesError = (checksum: string) =>
  new DamagedObjectError(
    `The object store has other bytes than those with the checksum ${checksum}. Restore the object, or publish the payload again.`,
  );

/** Words of sentences about a bucket, which depend on where its place was written. */
export interface StoreWords {
  /** What to do about a wrong name of the bucket. */
  readonly bucket: string;
  /** What to do if the region isn't known. */
  readonly region: string;
  /** What to check if requests are refused. */
  readonly address: string;
  /** What to do if the service can't be reached. */
  readonly retry: string;
  /** The error about an object that is missing, or has other bytes. @param key of the object */
  readonly missing: (key: string) => Error;
  readonly wrongBytes: (key: string) => Error;
}

/** Of the object store for payloads: objects are named by their checksums. */
export const payloadWords: StoreWords = {
  bucket: 'correct payloads.store in catalogue.yaml',
  region: 'add "region: …" under payloads in catalogue.yaml',
  address: 'region and endpoint under payloads in catalogue.yaml',
  retry: 'Try again later.',
  missing: (key) => missingObjectError(key.slice(-64)),
  wrongBytes: (key) => wrongBytesError(key.slice(-64)),
};

/** Names of errors that say that no more bytes may be stored: of Amazon, Ceph, MinIO and others. */
const quotaNames = /quota|storagefull|insufficientstorage/i;

/** True if a service doesn't have a request of the interface of S3 at all: trying again doesn't help. */
export function isUnknownRequest(error: unknown): boolean {
  const { name, $metadata } = Object(error) as SdkError;
  const status = $metadata?.httpStatusCode;
  return name === 'NotImplemented' || status === 501 || status === 405;
}

/** @param key of the object that was asked for */
export function toStoreError(error: unknown, words: StoreWords, key: string): Error {
  if (error instanceof CatalogueError) return error;
  const { name = '', message = '', $metadata } = Object(error) as SdkError;
  const status = $metadata?.httpStatusCode ?? 0;
  const cause = new ServiceReport(`object store: ${[status || '', name, message].filter(Boolean).join(' ')}`, {
    cause: error,
  });
  const refusal = (text: string) => new ObjectStoreError(text, { cause });
  if (name === 'CredentialsProviderError')
    return refusal(
      'There is no key for the object store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.',
    );
  if (/region is missing/i.test(message))
    return refusal(`The region of the object store is not known: ${words.region}.`);
  if (name === 'NoSuchBucket') return refusal(`The object store has no such bucket: make it, or ${words.bucket}.`);
  if (quotaNames.test(name) || status === 413 || status === 507)
    return refusal('The bucket of the object store is full: make room in it, or raise its quota.');
  if (name === 'NoSuchKey' || status === 404) return words.missing(key);
  if (status === 401 || status === 403)
    return refusal(
      'The object store refuses the key: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and what the key may do in the bucket.',
    );
  if (status === 301 || status === 400)
    return refusal(`The object store refuses the request (${name || status}): check ${words.address}.`);
  if (isUnknownRequest(error))
    return refusal(
      `The object store does not have this request (${name || status}): it lacks a part of the interface of S3.`,
    );
  return new UnavailableError(`The object store can't be reached at the moment. ${words.retry}`, { cause });
}
