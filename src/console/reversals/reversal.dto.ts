import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { Cursor, Limit } from '../../core/http/page-query.dto.js';
import type { PageQuery } from '../../core/pagination.js';
import { Amount, OneOf, Text } from '../../core/validation/member.decorators.js';
import { CONSOLE_LIMIT } from '../orders/order-queries.dto.js';

export class ReversalsQueryDto implements PageQuery {
  @OneOf(['true', 'false'], { optional: true, description: '`true`: only those that nobody has closed' }) open?: string;
  @Text(1, 64, { optional: true, description: 'Of this supplier, by its code' }) supplier?: string;
  @Limit(CONSOLE_LIMIT) limit?: string;
  @Cursor() cursor?: string;
}

export class ClosingDto {
  @Amount({
    optional: true,
    nullable: true,
    description: 'What the merchant gets for it, THB',
    example: '35.00',
  })
  credit?: string | null;
  @Text(1, 500, { description: 'What was agreed with the supplier, for the log', example: 'ticket 4711' })
  reason!: string;
}

export class CreditedBeforeDto {
  @Shown.nullableText('alice') by!: string | null;
  @Shown.moment() at!: string;
}

export class ReversalDto {
  @Shown.integer(7) id!: number;
  @Shown.nullableText('ord_Np3O7rcsqNmBTwD7', 'Null where no book knows the purchase') order_number!: string | null;
  @Shown.nullableInteger(7) merchant_id!: number | null;
  @Shown.nullableText('1.2') unit!: string | null;
  @Shown.flag(false, 'Whether the order is archived: then it has no page') archived!: boolean;
  @Shown.text('acme') supplier!: string;
  @Shown.oneOf(
    ['taken_back', 'bought_late', 'unknown_purchase'],
    'taken_back',
    '`taken_back`: it had succeeded, and the supplier says that it failed; `bought_late`: it had failed, and the supplier says that it was bought; `unknown_purchase`: the supplier tells of a purchase that no book knows',
  )
  kind!: 'taken_back' | 'bought_late' | 'unknown_purchase';
  @Shown.nullableText('29.50', 'What it cost there; null where that is not known, or to those who may not see costs')
  amount!: string | null;
  @Shown.nullableText('THB') currency!: string | null;
  @Shown.nullableText('A-5521') supplier_reference!: string | null;
  @Shown.nullableText('T4Q7RZ0M2K9XW1BC', 'Ours, as the supplier tells it, of a purchase that no book knows')
  reference!: string | null;
  @Shown.nullableText('ml86', 'What was bought, of such a purchase') supplier_sku!: string | null;
  @Shown.nullableText(
    '123456789 2001',
    'For whom, as the supplier writes it; its last characters to those who may not read players',
  )
  player!: string | null;
  @Shown.nullableMoment() bought_at!: string | null;
  @Shown.nullableText('refunded by the game') detail!: string | null;
  @Shown.flag(
    false,
    'Whether the supplier handed something over, such as a code: nobody has it but by an operator’s word',
  )
  handed_over!: boolean;
  @Shown.oneOf(['open', 'closed'], 'open') status!: 'open' | 'closed';
  @Shown.moment() created_at!: string;
  @ApiProperty({
    type: CreditedBeforeDto,
    required: false,
    description: 'Who gave the credit before, of a case that was closed just now: it was not given again',
  })
  credited_before?: CreditedBeforeDto;
}
