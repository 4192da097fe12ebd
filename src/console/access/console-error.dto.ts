import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CONSOLE_DETAIL_CODES, DETAIL_CODES, HTTP_STATUS } from '../../core/errors.js';
import { meanings } from '../../core/http/answer.decorators.js';

const CODES = { ...DETAIL_CODES, ...CONSOLE_DETAIL_CODES };

export class ConsoleErrorDetailDto {
  @ApiProperty({ example: 'reason', description: 'The path of the member, or what is missing' })
  field!: string;
  @ApiProperty({
    enum: Object.keys(CODES),
    example: 'REQUIRED',
    description: meanings('What is wrong', CODES),
  })
  code!: string;
  @ApiProperty({ example: 'reason is required' }) message!: string;
}

/** The body of every error. */
export class ConsoleErrorDto {
  @ApiProperty({ type: 'integer', example: 403 }) status!: number;
  @ApiProperty({ enum: Object.keys(HTTP_STATUS), example: 'FORBIDDEN' }) code!: string;
  @ApiProperty({ example: 'Sign in first' }) message!: string;
  @ApiPropertyOptional({ type: [ConsoleErrorDetailDto], description: 'One entry per problem' })
  details?: ConsoleErrorDetailDto[];
}
