/** The part of stac-js that the tests use: the package has no types. */
declare module 'stac-js' {
  interface StacLink {
    readonly href: string;
  }
  interface StacAsset {
    readonly type: string;
    getAbsoluteUrl(): string;
  }
  interface StacObject {
    readonly id: string;
    getObjectType(): string;
    getAbsoluteUrl(): string;
    getStacLinksWithRel(rel: string): readonly StacLink[];
    getBoundingBoxes(): readonly (readonly number[])[];
    getTemporalExtent(): readonly (string | null)[];
    getAssets(): readonly StacAsset[];
  }
  /** @param document parsed JSON */
  export default function create(document: object): StacObject;
}
