import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { Rule } from './rule.js';

/**
 * An array of objects of one shape, with as many elements as the bounds say. Elements that are no objects are refused by
 * the pipe, one by one: class-validator takes null for nothing to look at.
 */
export function ListOf(element: () => new () => object, minimum: number, maximum: number): PropertyDecorator {
  return applyDecorators(
    Type(element),
    Rule(
      (value) => {
        if (value === undefined || value === null) return { code: 'REQUIRED', words: 'is required' };
        if (!Array.isArray(value)) return { code: 'INVALID_TYPE', words: 'must be an array' };
        if (value.length < minimum || value.length > maximum) {
          return { code: 'OUT_OF_RANGE', words: `must have ${minimum} to ${maximum} elements` };
        }
        return null;
      },
      { element, maximum },
    ),
    ValidateNested({ each: true }),
  );
}
