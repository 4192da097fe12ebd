import { Text, type MemberOptions } from '../core/validation/member.decorators.js';

/** Why an operator does something. */
export const Reason = (options: MemberOptions = {}): PropertyDecorator =>
  Text(1, 500, { description: 'For the log', example: 'ticket 4711', ...options });

export class ReasonDto {
  @Reason() reason!: string;
}

export class OptionalReasonDto {
  @Reason({ optional: true }) reason?: string;
}
