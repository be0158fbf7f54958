/**
 * The connection to a bucket, with the AWS SDK. It is an optional package, and loaded here only. Keys come from the environment, or
 * from where the SDK finds them.
 */
import type { S3Client } from '@aws-sdk/client-s3';
import { noPackagesError } from './store-errors.ts';

export interface BucketPlace {
  readonly bucket: string;
  /** Without a final slash; '' for that of Amazon. */
  readonly endpoint: string;
  /** '' for that of the environment. */
  readonly region: string;
}

export interface BucketOptions {
  /** Milliseconds without a byte after which a connection counts as lost; 30,000 by default. */
  readonly timeout?: number;
  /** Loads the SDK. */
  readonly load?: typeof loadSdk;
}

/** @throws Error with code ERR_MODULE_NOT_FOUND */
async function loadSdk() {
  // Its warning about Node 20 is for programs that choose the version of the SDK themselves.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const [s3, storage, presigner] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/lib-storage'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  return { ...s3, ...storage, ...presigner };
}

/** The SDK, and its client of a service. */
export type Connection = Awaited<ReturnType<typeof loadSdk>> & { readonly client: S3Client };

/**
 * @param closing aborted when no request is to be sent any more, not even one again that was lost
 * @throws ObjectStoreError if the SDK is not installed
 */
export async function connect(
  { endpoint, region }: BucketPlace,
  { timeout = 30_000, load = loadSdk }: BucketOptions,
  closing: AbortSignal,
): Promise<Connection> {
  const sdk = await load().catch((error) => {
    throw noPackagesError(error);
  });
  const client = new sdk.S3Client({
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...((region || endpoint) && { region: region || process.env.AWS_REGION || 'us-east-1' }),
    // Servers other than Amazon's don't know its newer checksums. The bytes are compared with their SHA-256 here.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: Math.min(timeout, 10_000), socketTimeout: timeout },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      closing.throwIfAborted();
      return next(args);
    },
    // Behind what sends requests again.
    { step: 'finalizeRequest', priority: 'low' },
  );
  return { ...sdk, client };
}
