import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import express, { type Request, type RequestHandler } from 'express';

const YEAR_SECONDS = 31_536_000;

/** The encodings that files are packed in beside themselves, best first. */
const PACKED = [
  { encoding: 'br', extension: '.br' },
  { encoding: 'gzip', extension: '.gz' },
];

export interface StaticFiles {
  /** As they are asked for, such as `/assets/main-1a2b.js`; those in other encodings too. */
  names: ReadonlySet<string>;
  /** Answers a request for one of them, packed for browsers that can unpack it, and passes every other one on. */
  serve: RequestHandler;
}

/**
 * The files of a folder that a build wrote; what is in it is read once. What is in `assets` never changes under its name.
 * A folder that is not there has no files.
 */
export function staticFiles(directory: string): StaticFiles {
  const found = existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => `/${name}`)
    : [];
  const names = new Set(found.map((name) => name.split(path.sep).join('/')));
  const sendFile = express.static(directory, {
    index: false,
    redirect: false,
    setHeaders: (response, file) => {
      const isAsset = path.relative(directory, file).startsWith(`assets${path.sep}`);
      response.setHeader('Cache-Control', isAsset ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
    },
  });
  const serve: RequestHandler = (request, response, next) => {
    const { path: name } = request;
    if (!isReading(request) || !names.has(name)) return next();
    response.vary('Accept-Encoding');
    const packed = PACKED.find(
      ({ encoding, extension }) => names.has(name + extension) && request.acceptsEncodings(encoding) === encoding,
    );
    if (packed) {
      response.type(path.extname(name)).setHeader('Content-Encoding', packed.encoding);
      request.url = name + packed.extension;
    }
    void sendFile(request, response, next);
  };
  return { names, serve };
}

/** Asks for what is there, and changes nothing. */
export const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';
