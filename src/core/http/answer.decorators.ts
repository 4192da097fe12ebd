import { ApiProperty } from '@nestjs/swagger';

// What is documented of members of answers besides what ApiProperty and their types say.

/** A moment, as every answer writes it: in UTC, to the millisecond. */
export const ApiMoment = (options: { nullable?: boolean; description?: string } = {}): PropertyDecorator =>
  ApiProperty({ type: String, format: 'date-time', example: '2026-01-15T08:30:00.123Z', ...options });

/** Text that may be null, which its type alone does not tell the documentation. */
export const ApiNullableText = (example: string | null, description?: string): PropertyDecorator =>
  ApiProperty({ type: String, nullable: true, example, ...(description && { description }) });

/** An enumeration's description: a sentence, and what each value means. */
export const meanings = (sentence: string, values: Readonly<Record<string, string>>): string =>
  [`${sentence}:`, '', ...Object.entries(values).map(([value, meaning]) => `- \`${value}\`: ${meaning}`)].join('\n');
