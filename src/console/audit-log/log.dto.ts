import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { AUDITED_ACTIONS } from '../../audit-log/audit-log.js';
import { Shown } from '../../core/http/answer.decorators.js';
import { Moment, Text } from '../../core/validation/member.decorators.js';
import { AnyId, AnyOf, AnyText } from '../filters.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import { MerchantNameDto } from '../orders/order.dto.js';

const SOURCES = ['console', 'cli'] as const;

/** A filter of the audit log: an entry must match every given member. */
export class LogFilterDto {
  @Text(1, 128, { optional: true, description: 'The operator: an e-mail address, or a name at the command line' })
  operator?: string;
  @AnyOf(SOURCES, 'Where the action was done') source?: string;
  @AnyOf(AUDITED_ACTIONS, 'The action') action?: string;
  @AnyId('The id of a merchant') merchant?: string;
  @Text(1, 64, { optional: true, description: 'The number of an order' }) order?: string;
  @AnyText(64, 'The code of a supplier: actions on the supplier, without tests, and on its offers') supplier?: string;
  @Moment({ optional: true, description: 'At or after' }) from?: string;
  @Moment({ optional: true, description: 'Before' }) to?: string;
}

export class LogQueryDto extends IntersectionType(LogFilterDto, ListQueryDto) {}

/** An operator's action. */
export class LogEntryDto {
  @Shown.integer(4711) id!: number;
  @Shown.moment() at!: string;
  @Shown.text('nok@example.com', 'An e-mail address, or a name at the command line') operator!: string;
  @Shown.oneOf(SOURCES, 'console') source!: string;
  @Shown.nullableText('203.0.113.7', 'The operator’s IP address; null at the command line') ip!: string | null;
  @Shown.nullableText('req_2b1f', 'The id of the request; null at the command line') request_id!: string | null;
  @Shown.oneOf(AUDITED_ACTIONS, 'operator.set_role') action!: string;
  @ApiProperty({ type: MerchantNameDto, nullable: true, description: 'The merchant that the action concerns' })
  merchant!: MerchantNameDto | null;
  @Shown.nullableText('ord_Np3O7rcsqNmBTwD7', 'The order that the action concerns') order_number!: string | null;
  @Shown.nullableText('bank-2026-01-15', 'The reference that the operator gave') reference!: string | null;
  @Shown.nullableText('ticket 4711', 'The operator’s reason') reason!: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { operator: 'mali@example.com', role: 'finance', role_before: 'support' },
    description:
      'The facts of the action. `before` has the old values of members, and `NAME_before` the old value of the member `NAME`. ' +
      'Amounts are text in baht.',
  })
  detail!: Record<string, unknown>;
}
