/** Stored bytes and ranges of them: RFC 9110, section 14; RFC 9530. */
import { each, type Rule } from './rule.ts';

const dataset = '/api/v1/namespaces/harbour-city/datasets/street-trees/';
const download = `${dataset}download/`;
const size = 613;
const checksum = 'cc8a215e51f59f0dc3d807326482a09dc42f10a952d5d6d6fb9c1f44c91a03dc';
const etag = `"${checksum}"`;
const digest = `sha-256=:${Buffer.from(checksum, 'hex').toString('base64')}:`;
const type = 'application/geo+json';

/** What says which bytes these are, whether all of them are sent or a part. */
const identity = {
  etag,
  'accept-ranges': 'bytes',
  'repr-digest': digest,
  'last-modified': /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  'content-disposition': /filename\*?=.*\.geojson/,
};
const whole = { ...identity, 'content-length': String(size), 'content-range': null };

export const bytes: readonly Rule[] = [
  ...each(
    [
      ['GET', download],
      ['HEAD', download],
      ['GET', `${dataset}version/20200518093015987654/download/`],
      ['GET', `${dataset}version/latest/download/`],
    ],
    (method, path): Rule => ({
      ask: `${method} ${path}`,
      status: 200,
      type,
      header: whole,
      why: 'the stored bytes, and all that is known of them',
    }),
  ),
  {
    ask: `GET ${dataset}version/20180312081530123456/download/`,
    status: 200,
    type,
    header: { 'content-length': '615', etag: new RegExp(`^"(?!${checksum})[0-9a-f]{64}"$`) },
    why: 'another version has other bytes',
  },
  {
    ask: 'GET /api/v1/namespaces/harbour-city/datasets/flood-zones/download/',
    status: 200,
    type,
    header: { 'content-length': '1177' },
    why: 'the newest version that is ready',
  },
  ...each(
    [
      ['bytes=0-9', '0-9', 10, 'the first ten'],
      ['bytes=600-', '600-612', 13, 'an open range'],
      ['bytes=-5', '608-612', 5, 'the last five'],
      ['bytes=600-99999', '600-612', 13, 'to the end where it asks for more'],
      ['bytes=-99999', '0-612', 613, 'the last 99999 of fewer are all'],
      ['Bytes=0-0', '0-0', 1, 'one byte; the unit has no case'],
    ],
    (range, got, length, why): Rule => ({
      ask: `GET ${download}`,
      headers: { Range: range },
      status: 206,
      type,
      header: { ...identity, 'content-range': `bytes ${got}/${size}`, 'content-length': String(length) },
      why,
    }),
  ),
  ...each(
    [[`bytes=${size}-`], ['bytes=99999-100000'], ['bytes=-0']],
    (range): Rule => ({
      ask: `GET ${download}`,
      headers: { Range: range },
      status: 416,
      type: null,
      header: { 'content-range': `bytes */${size}` },
      why: 'there is no such byte',
    }),
  ),
  {
    ask: `GET ${download}`,
    headers: { Range: 'lines=0-9' },
    status: 200,
    type,
    header: whole,
    why: 'a unit that we do not know is ignored',
  },
  ...each(
    [['bytes=9-0'], ['bytes=a-b'], ['0-9']],
    (range): Rule => ({
      ask: `GET ${download}`,
      headers: { Range: range },
      status: [200, 400, 416],
      type: null,
      why: 'a range that is none may be ignored or refused',
    }),
  ),
  {
    ask: `HEAD ${download}`,
    headers: { Range: 'bytes=0-9' },
    status: 200,
    type,
    header: whole,
    why: 'only GET has ranges',
  },
  ...each(
    [
      [etag, 206, 'the bytes are still those'],
      [`"${'0'.repeat(64)}"`, 200, 'the bytes have changed: all of them'],
      [`W/${etag}`, 200, 'a weak validator says too little for a range'],
      ['Thu, 01 Jan 1970 00:00:00 GMT', 200, 'another date'],
    ],
    (validator, status, why): Rule => ({
      ask: `GET ${download}`,
      headers: { Range: 'bytes=0-9', 'If-Range': validator },
      status,
      type,
      header: { etag, 'content-length': status === 206 ? '10' : String(size) },
      why,
    }),
  ),
  {
    ask: `GET ${download}`,
    headers: { Range: 'bytes=0-9', 'Accept-Encoding': 'gzip, br' },
    status: 206,
    type,
    header: { 'content-encoding': null, 'content-range': `bytes 0-9/${size}` },
    why: 'a range is one of the stored bytes, not of packed ones',
  },
  ...each(
    [[etag], [`W/${etag}`], [`"x", ${etag}`], ['*']],
    (tags): Rule => ({
      ask: `GET ${download}`,
      headers: { 'If-None-Match': tags },
      status: 304,
      type: null,
      header: { etag, 'content-range': null },
      why: 'whoever has the bytes gets none',
    }),
  ),
  {
    ask: `GET ${download}`,
    headers: { 'If-None-Match': etag, Range: 'bytes=0-9' },
    status: 304,
    type: null,
    why: 'a range is looked at after the conditions',
  },
  ...each(
    [['GET'], ['HEAD']],
    (method): Rule => ({
      ask: `${method} ${dataset}data/`,
      status: 200,
      header: { 'accept-ranges': null, 'content-range': null, etag: /./ },
      why: 'rows are written anew for each answer: no ranges, and none is promised',
    }),
  ),
  {
    ask: `GET ${dataset}data/`,
    headers: { Range: 'bytes=0-9' },
    status: 200,
    header: { 'content-range': null },
    body: { type: 'FeatureCollection' },
    why: 'a range of rows written anew is ignored',
  },
];
