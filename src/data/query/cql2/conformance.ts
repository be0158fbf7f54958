/** The parts of CQL2 that filters support, as OGC APIs declare them. */
import type { ExpressionType } from '../expression.ts';
import { customFunctions } from '../functions.ts';
import { distanceFunction } from './bind-expression.ts';

/** Addresses of the conformance classes of OGC 21-065r2: all of them. */
export const conformanceClasses: readonly string[] = [
  'cql2-text',
  'cql2-json',
  'basic-cql2',
  'advanced-comparison-operators',
  'case-insensitive-comparison',
  'accent-insensitive-comparison',
  'basic-spatial-functions',
  'basic-spatial-functions-plus',
  'spatial-functions',
  'temporal-functions',
  'array-functions',
  'property-property',
  'functions',
  'arithmetic',
].map((name) => `http://www.opengis.net/spec/cql2/1.0/conf/${name}`);

/** A function, as the class `functions` wants it listed at `/functions`. */
export interface FunctionDescription {
  readonly name: string;
  readonly description: string;
  readonly args: readonly { readonly type: readonly string[] }[];
  readonly returns: readonly string[];
}

/** Types of functions, by those of expressions. */
const typeNames: Readonly<Partial<Record<ExpressionType, string>>> = { text: 'string', instant: 'datetime' };
const typeName = (type: ExpressionType) => typeNames[type] ?? type;

/** All functions that are not of the standard. */
export const functionDescriptions: readonly FunctionDescription[] = [
  {
    name: distanceFunction,
    description: "True if two geometries are within a distance, in 'm' (the default), 'km' or 'deg'",
    args: ['geometry', 'geometry', 'number', 'string'].map((type) => ({ type: [type] })),
    returns: ['boolean'],
  },
  ...Object.entries(customFunctions).map(([name, { description = '', parameters, returns }]) => ({
    name,
    description,
    args: parameters.map((type) => ({ type: [typeName(type)] })),
    returns: [typeName(returns)],
  })),
];
