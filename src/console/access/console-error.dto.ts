import { ApiPropertyOptional } from '@nestjs/swagger';
import { CONSOLE_DETAIL_CODES, DETAIL_CODES, HTTP_STATUS } from '../../core/errors.js';
import { meanings, Shown } from '../../core/http/answer.decorators.js';

const CODES = { ...DETAIL_CODES, ...CONSOLE_DETAIL_CODES };

export class ConsoleErrorDetailDto {
  @Shown.text('reason', 'The path of the member, or what is missing') field!: string;
  @Shown.oneOf(Object.keys(CODES), 'REQUIRED', meanings('What is wrong', CODES)) code!: string;
  @Shown.text('reason is required') message!: string;
}

/** The body of every error. */
export class ConsoleErrorDto {
  @Shown.integer(403) status!: number;
  @Shown.oneOf(Object.keys(HTTP_STATUS), 'FORBIDDEN') code!: string;
  @Shown.text('Sign in first') message!: string;
  @ApiPropertyOptional({ type: [ConsoleErrorDetailDto], description: 'One entry per problem' })
  details?: ConsoleErrorDetailDto[];
}
