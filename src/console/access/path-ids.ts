import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { notFound } from '../../core/errors.js';
import { MAX_BIGINT, MAX_INTEGER } from '../../core/pagination.js';

/** A parameter of the path, read by a pipe, and documented. */
export const PathParameter =
  (name: string, schema: { type: 'integer' | 'string' }, example: string, pipe: PipeTransform<string>) =>
  (target: object, method: string | symbol | undefined, index: number): void => {
    Param(name, pipe)(target, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, method ?? '');
    if (descriptor) ApiParam({ name, schema, example })(target, method ?? '', descriptor);
  };

/** An id in the path. @param what it names, for the message. @throws NOT_FOUND for what can't be an id. */
export const PathId = (what: string, name = 'id'): ParameterDecorator =>
  PathParameter(name, { type: 'integer' }, '7', {
    transform: (text: string) => {
      const id = /^[1-9]\d{0,9}$/.test(text) ? BigInt(text) : 0n;
      if (id < 1n || id > MAX_INTEGER) throw notFound(what);
      return Number(id);
    },
  });

/** The same for ids of 64 bits. */
export const PathBigId = (what: string): ParameterDecorator =>
  PathParameter('id', { type: 'integer' }, '5012', {
    transform: (text: string) => {
      const id = /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : 0n;
      if (id < 1n || id > MAX_BIGINT) throw notFound(what);
      return id;
    },
  });
