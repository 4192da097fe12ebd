import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiProperty,
  ApiResponse,
  getSchemaPath,
  type ApiPropertyOptions,
  type ApiResponseOptions,
} from '@nestjs/swagger';

// Decorators that document members of answers, where ApiProperty and the member's type are not enough.

/** A time in UTC, to the millisecond, as in all answers. */
export const ApiMoment = (options: { nullable?: boolean; description?: string } = {}): PropertyDecorator =>
  ApiProperty({ type: String, format: 'date-time', example: '2026-01-15T08:30:00.123Z', ...options });

/** Nullable text, which the documentation can't derive from the type. */
export const ApiNullableText = (example: string | null, description?: string): PropertyDecorator =>
  ApiProperty({ type: String, nullable: true, ...about(example, description) });

/** An enumeration's description: a sentence, and the meaning of each value. */
export const meanings = (sentence: string, values: Readonly<Record<string, string>>): string =>
  [`${sentence}:`, '', ...Object.entries(values).map(([value, meaning]) => `- \`${value}\`: ${meaning}`)].join('\n');

const about = (example: unknown, description?: string): { example?: unknown; description?: string } => ({
  ...(example !== undefined && { example }),
  ...(description !== undefined && { description }),
});

/** A member's example, its description, or both in this order. */
type About<Example> = [description?: string] | [example: Example, description?: string];

/** Makes a decorator for members of one schema. The decorator takes the arguments of {@link About}. */
const member =
  <Example>(schema: ApiPropertyOptions = {}) =>
  (...[first, second]: About<Example>): PropertyDecorator =>
    ApiProperty({
      ...schema,
      ...(typeof first === 'string' ? about(undefined, first) : about(first, second)),
    });

export type ApiAnswer = Pick<ApiResponseOptions, 'status' | 'description' | 'headers'>;

/** An answer that is a page of a list. */
export function ApiPage(pageOf: Type<unknown>, about: ApiAnswer): MethodDecorator {
  const properties = {
    data: { type: 'array', items: { $ref: getSchemaPath(pageOf) } },
    next_cursor: { type: 'string', nullable: true, example: null },
  };
  const schema = { type: 'object', required: ['data', 'next_cursor'], properties };
  return applyDecorators(ApiExtraModels(pageOf), ApiResponse({ ...about, schema }));
}

/** Decorators for the members of an answer. They document examples, meanings, and types that TypeScript does not emit. */
export const Shown = {
  flag: member<boolean>(),
  number: member<number>(),
  nullableNumber: member<number | null>({ type: Number, nullable: true }),
  integer: member<number>({ type: 'integer' }),
  nullableInteger: member<number | null>({ type: 'integer', nullable: true }),
  optionalInteger: member<number>({ type: 'integer', required: false }),
  text: (example: string, description?: string): PropertyDecorator => ApiProperty(about(example, description)),
  nullableText: ApiNullableText,
  oneOf: (values: readonly string[], example?: string, description?: string): PropertyDecorator =>
    ApiProperty({ enum: values as string[], ...about(example, description) }),
  nullableOneOf: (values: readonly string[], example: string | null, description?: string): PropertyDecorator =>
    ApiProperty({ type: String, nullable: true, enum: [...values, null], ...about(example, description) }),
  moment: (description?: string): PropertyDecorator => ApiMoment(about(undefined, description)),
  nullableMoment: (description?: string): PropertyDecorator =>
    ApiMoment({ nullable: true, ...about(undefined, description) }),
};
