import { notFound } from '../../core/errors.js';
import { PathParameter } from '../access/path-ids.js';

/** The product in the path. @throws NOT_FOUND for what can't be a SKU. */
export const Sku = (): ParameterDecorator =>
  PathParameter('sku', { type: 'string' }, 'MLBB-86', {
    transform: (text: string) => {
      if (text.length > 128 || text.includes('\0') || !text.isWellFormed()) throw notFound('product');
      return text;
    },
  });

/** The currency in the path. @throws NOT_FOUND for what can't be one. */
export const Currency = (): ParameterDecorator =>
  PathParameter('currency', { type: 'string' }, 'IDR', {
    transform: (text: string) => {
      if (!/^[A-Z]{3}$/.test(text)) throw notFound('currency');
      return text;
    },
  });
