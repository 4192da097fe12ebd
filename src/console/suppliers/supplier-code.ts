import { notFound } from '../../core/errors.js';
import { codeProblem } from '../../suppliers/supplier-settings.js';
import { PathParameter } from '../access/path-ids.js';

/** The supplier in the path, by its code. @throws NOT_FOUND for what can't be one. */
export const SupplierCode = (): ParameterDecorator =>
  PathParameter('code', { type: 'string' }, 'acme', {
    transform: (text: string) => {
      if (codeProblem(text) !== null) throw notFound('supplier');
      return text;
    },
  });
