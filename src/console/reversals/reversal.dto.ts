import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { Amount, OneOf } from '../../core/validation/member.decorators.js';
import { AnyText } from '../filters.js';
import { ListQueryDto } from '../orders/order-queries.dto.js';
import { Reason } from '../reason.dto.js';

export class ReversalsQueryDto extends ListQueryDto {
  @OneOf(['true', 'false'], { optional: true, description: '`true`: only open discrepancies' }) open?: string;
  @AnyText(64, 'The code of a supplier: only its discrepancies') supplier?: string;
}

export class ClosingDto {
  @Amount({
    optional: true,
    nullable: true,
    description: 'The credit to the order’s merchant, THB',
    example: '35.00',
  })
  credit?: string | null;
  @OneOf(['succeeded', 'failed'], {
    optional: true,
    nullable: true,
    description: '`reported` as the operator saw it: 409 if the supplier has reported otherwise since',
  })
  expected_reported?: 'succeeded' | 'failed' | null;
  @Reason({ description: 'What was agreed with the supplier, for the log' }) reason!: string;
}

export class CreditedBeforeDto {
  @Shown.nullableText('alice') by!: string | null;
  @Shown.moment() at!: string;
}

export class ReversalDto {
  @Shown.integer(7) id!: number;
  @Shown.nullableText('ord_Np3O7rcsqNmBTwD7', 'Null for a purchase without an order') order_number!: string | null;
  @Shown.nullableInteger(7) merchant_id!: number | null;
  @Shown.nullableText('1.2') unit!: string | null;
  @Shown.flag(false, 'Whether the order is archived: the console has no page for an archived order') archived!: boolean;
  @Shown.text('acme') supplier!: string;
  @Shown.oneOf(
    ['taken_back', 'bought_late', 'unknown_purchase'],
    'taken_back',
    '`taken_back`: the unit had succeeded, and the supplier reports that it failed; `bought_late`: the unit had failed, and the supplier reports that it was bought; `unknown_purchase`: the supplier reports a purchase that the books do not have, perhaps a second one for a unit',
  )
  kind!: 'taken_back' | 'bought_late' | 'unknown_purchase';
  @Shown.nullableText(
    '29.50',
    'What the supplier charged for the purchase; null where that is not known, and for operators who may not see costs',
  )
  amount!: string | null;
  @Shown.nullableText('THB') currency!: string | null;
  @Shown.nullableText('A-5521') supplier_reference!: string | null;
  @Shown.nullableText(
    'T4Q7RZ0M2K9XW1BC',
    'Of a purchase without an order: our reference of the purchase, as the supplier reports it',
  )
  reference!: string | null;
  @Shown.nullableText('ml86', 'Of a purchase without an order: the supplier’s SKU that was bought') supplier_sku!:
    string | null;
  @Shown.nullableText(
    '123456789 2001',
    'Of a purchase without an order: the player, as the supplier reports it; only the last characters for operators who may not read players',
  )
  player!: string | null;
  @Shown.nullableMoment() bought_at!: string | null;
  @Shown.nullableOneOf(
    ['succeeded', 'failed'],
    'failed',
    'The supplier’s latest report about the unit; null for an unknown purchase',
  )
  reported!: 'succeeded' | 'failed' | null;
  @Shown.nullableText('refunded by the game') detail!: string | null;
  @Shown.flag(false, 'Whether the supplier handed something over, such as a code: the merchant has not received it')
  handed_over!: boolean;
  @Shown.oneOf(['open', 'closed'], 'open') status!: 'open' | 'closed';
  @Shown.moment() created_at!: string;
  @ApiProperty({
    type: CreditedBeforeDto,
    required: false,
    description:
      'Only in the answer to a closing whose merchant was credited before: by which operator, and when. It was not credited again',
  })
  credited_before?: CreditedBeforeDto;
}
