import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { notFound } from '../../core/errors.js';
import { MAX_BIGINT, MAX_INTEGER } from '../../core/pagination.js';
import { codeProblem } from '../../suppliers/supplier-settings.js';

/** A parameter of the path: a pipe reads it, and the API document describes it. */
export const PathParameter =
  (name: string, schema: { type: 'integer' | 'string' }, example: string, pipe: PipeTransform<string>) =>
  (target: object, method: string | symbol | undefined, index: number): void => {
    Param(name, pipe)(target, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, method ?? '');
    if (descriptor) ApiParam({ name, schema, example })(target, method ?? '', descriptor);
  };

/** An id in the path. @param what the kind of thing, for the message. @throws NOT_FOUND for other text. */
export const PathId = (what: string, name = 'id'): ParameterDecorator =>
  PathParameter(name, { type: 'integer' }, '7', {
    transform: (text: string) => {
      const id = /^[1-9]\d{0,9}$/.test(text) ? BigInt(text) : 0n;
      if (id < 1n || id > MAX_INTEGER) throw notFound(what);
      return Number(id);
    },
  });

/** An id of 64 bits in the path. @throws as {@link PathId}. */
export const PathBigId = (what: string): ParameterDecorator =>
  PathParameter('id', { type: 'integer' }, '5012', {
    transform: (text: string) => {
      const id = /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : 0n;
      if (id < 1n || id > MAX_BIGINT) throw notFound(what);
      return id;
    },
  });

/** The code of a supplier in the path. @throws NOT_FOUND for text that can't be one. */
export const SupplierCode = (): ParameterDecorator =>
  PathParameter('code', { type: 'string' }, 'acme', {
    transform: (text: string) => {
      if (codeProblem(text) !== null) throw notFound('supplier');
      return text;
    },
  });

/** The SKU of a product in the path. @throws NOT_FOUND for text that can't be one. */
export const Sku = (): ParameterDecorator =>
  PathParameter('sku', { type: 'string' }, 'MLBB-86', {
    transform: (text: string) => {
      if (text.length > 128 || text.includes('\0') || !text.isWellFormed()) throw notFound('product');
      return text;
    },
  });

/** A currency in the path. @throws NOT_FOUND for text that can't be one. */
export const Currency = (): ParameterDecorator =>
  PathParameter('currency', { type: 'string' }, 'IDR', {
    transform: (text: string) => {
      if (!/^[A-Z]{3}$/.test(text)) throw notFound('currency');
      return text;
    },
  });
