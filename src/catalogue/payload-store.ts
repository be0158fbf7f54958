/** The object store for large payloads, as catalogue.yaml describes it under `payloads`, and the names of objects in it. */

/** An object store with the interface of S3, and what is kept there. */
export interface PayloadSettings {
  /** `s3://bucket/folder`; '' if there is no object store. */
  readonly store: string;
  /** Without a final slash; '' for that of Amazon. */
  readonly endpoint: string;
  readonly region: string;
  /** Size above which payloads go there, such as 10 MB. */
  readonly above: string;
  /** Most disk space for copies, such as 10 GB. */
  readonly cache: string;
  /** True to send readers of files there. */
  readonly redirect: boolean;
}

/** A bucket, and a folder in it: `s3://bucket/folder`. */
export const bucketPattern = '^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9_.-]+)*/?$';

/** The bucket of `s3://bucket/folder`, and the beginning of the keys in it: '' or with a slash at its end. */
export function bucketAndPrefix({ store }: Pick<PayloadSettings, 'store'>): { bucket: string; prefix: string } {
  const [bucket = '', ...folders] = store.replace(/^s3:\/\//, '').split('/');
  const prefix = folders.filter(Boolean).join('/');
  return { bucket, prefix: prefix && `${prefix}/` };
}

/**
 * Key of the object with the bytes of a checksum.
 * @param checksum SHA-256 in hexadecimal
 * @throws TypeError for any other text, so that no name from outside becomes a part of a key
 */
export function objectKey(prefix: string, checksum: string): string {
  if (!isChecksum(checksum)) throw new TypeError('An object is named by the SHA-256 of its bytes.');
  return `${prefix}${checksum.slice(0, 2)}/${checksum.slice(2, 4)}/${checksum}`;
}

export const isChecksum = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Number of bytes in a text such as 10 MB (of a million bytes each) or 1 GiB (of 1024³). The text fits the settings' pattern. */
export function parseByteSize(text: string): number {
  const [, number = '0', unit = '', binary] = /^([\d.]+) ?([kMGT]?)(i?)B$/.exec(text) ?? [];
  return Math.round(Number(number) * (binary ? 1024 : 1000) ** ' kMGT'.indexOf(unit || ' '));
}
