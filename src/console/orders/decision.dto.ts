import { ApiProperty } from '@nestjs/swagger';
import { UNIT_FAILURE_CODES, type UnitFailureCode } from '../../core/failures.js';
import { Shown } from '../../core/http/answer.decorators.js';
import { Flag, Integer, ListOf, listProblem, Member, OneOf, Text } from '../../core/validation/member.decorators.js';
import { MAX_ITEMS, MAX_QUANTITY } from '../../orders/order-requests.dto.js';
import { UNIT_STATES } from '../../orders/states.js';
import { Reason } from '../reason.dto.js';
import { MerchantNameDto, OrderDetailDto } from './order.dto.js';

const MAX_NOTE_LENGTH = 2_000;
/** The largest smallint of PostgreSQL. */
const MAX_ATTEMPT = 32_767;
const MAX_ORDER_UNITS = MAX_ITEMS * MAX_QUANTITY;

export class NoteDto {
  @Member(
    { type: String, minLength: 1, maxLength: MAX_NOTE_LENGTH },
    (value) => (typeof value === 'string' ? null : { code: 'INVALID_TYPE', words: 'must be a string' }),
    { description: 'Line breaks are kept', example: 'The buyer wrote again: ticket 4711' },
  )
  text!: string;
}

export class RevealedPieceDto {
  @Shown.nullableText('TEST-8F3K-2Q9W-7MZR') code!: string | null;
  @Shown.nullableText('SN-000017') serial!: string | null;
  @Shown.nullableText('2027-01-31', 'A day; null where the code does not expire, or the day is not known')
  expires_on!: string | null;
}

export class RevealedDto {
  @Shown.text('1.2') unit!: string;
  @ApiProperty({ type: [RevealedPieceDto], description: 'What the supplier handed over for the unit' })
  pieces!: RevealedPieceDto[];
}

const UnitNames = (): PropertyDecorator =>
  Member(
    { type: String, isArray: true, minItems: 1, maxItems: MAX_ORDER_UNITS },
    (value) => {
      const problem = listProblem(value, 1, MAX_ORDER_UNITS);
      if (problem !== null) return problem;
      const isRight = (value as unknown[]).every((each) => typeof each === 'string');
      return isRight ? null : { code: 'INVALID_VALUE', words: 'must name units such as 1.2' };
    },
    {
      optional: true,
      description: 'The units to cancel, as the operator saw them; other units stay as they are',
      example: ['1.1', '1.2'],
    },
  );

export class CancelDto {
  @Text(3, 7, {
    optional: true,
    description: 'A unit to cancel; without `unit` and `units`, all units that can be cancelled',
    example: '1.2',
  })
  unit?: string;
  @UnitNames() units?: string[];
  @Reason() reason!: string;
}

export class ResolveDto {
  @Flag({ description: 'Whether the supplier delivered the unit' }) succeeded!: boolean;
  @Text(1, 255, { optional: true, description: 'Only if the unit succeeded: the supplier’s reference of the purchase' })
  supplier_reference?: string;
  @OneOf(UNIT_FAILURE_CODES, { optional: true, description: 'Only if the unit failed, and then required: why' })
  failure_code?: UnitFailureCode;
  @Integer(1, MAX_ATTEMPT, {
    optional: true,
    example: 1,
    description: 'The number of the latest attempt that the operator saw. If another attempt has begun since: 409',
  })
  attempt?: number;
  @Reason() reason!: string;
}

export class LeftUnitDto {
  @Shown.text('1.2') unit!: string;
  @Shown.text('unknown') state!: string;
  @Shown.text('it is in doubt: its supplier may have sold it', 'Why the unit was not cancelled') why!: string;
}

export class CancellationDto {
  @ApiProperty({ type: [String], example: ['1.1'] }) cancelled!: string[];
  @ApiProperty({ type: [LeftUnitDto] }) left!: LeftUnitDto[];
  @ApiProperty({ type: OrderDetailDto }) order!: OrderDetailDto;
}

export class InquiryDto {
  @Shown.text('acme') supplier!: string;
  @Shown.text('ord_Np3O7rcsqNmBTwD7.1.2') reference!: string;
  @Shown.oneOf(
    ['succeeded', 'failed', 'processing', 'never_seen', 'not_accepted', 'unknown'],
    'succeeded',
    '`unknown`: the supplier gave no usable answer',
  )
  outcome!: string;
  @Shown.nullableText('A-5521') detail!: string | null;
  @Shown.nullableOneOf(UNIT_FAILURE_CODES, null, 'Why, if it failed') failure_code!: UnitFailureCode | null;
  @Shown.moment() asked_at!: Date;
}

const MAX_UNITS = 100;

export class NamedUnitDto {
  @Text(1, 64, { example: 'ord_Np3O7rcsqNmBTwD7' }) order_number!: string;
  @Text(3, 7, { example: '1.2' }) unit!: string;
}

export class ChosenUnitDto extends NamedUnitDto {
  @Text(1, 128, {
    optional: true,
    example: 'acme',
    description:
      'The code of the supplier that the unit was with when the operator chose the unit. A unit that is with another supplier ' +
      'by now is not settled',
  })
  supplier?: string;
  @Integer(1, MAX_ATTEMPT, {
    optional: true,
    example: 1,
    description:
      'The number of the unit’s latest attempt when the operator chose the unit. If another attempt has begun since, the unit ' +
      'is not settled',
  })
  attempt?: number;
}

export class NamedUnitsDto {
  @ListOf(ChosenUnitDto, 1, MAX_UNITS, { description: 'Each unit once; all units of one supplier, or of one order' })
  units!: ChosenUnitDto[];
}

export class ResolveManyDto extends NamedUnitsDto {
  @Flag({ description: 'Whether the supplier delivered the units' }) succeeded!: boolean;
  @OneOf(UNIT_FAILURE_CODES, { optional: true, description: 'Only if the units failed, and then required: why' })
  failure_code?: UnitFailureCode;
  @Reason({ description: 'For the entry of each unit in the log', example: 'acme’s outage: ticket 4711' })
  reason!: string;
}

export class MerchantShareDto extends MerchantNameDto {
  @Shown.integer(2) units!: number;
  @Shown.text('70.00', 'THB') amount!: string;
}

/** A unit that a decision does not settle, as the unit is now. */
export class UndecidedUnitDto extends NamedUnitDto {
  @Shown.oneOf(UNIT_STATES, 'succeeded') state!: string;
  @Shown.text('acme', 'The supplier that the unit is with now') supplier!: string;
  @Shown.integer(1, 'The number of the unit’s latest attempt') attempt!: number;
  @Shown.nullableText('Nok', 'The operator who settled the unit; null where no operator did') decided_by!:
    string | null;
}

export class BatchPreviewDto {
  @Shown.integer(3, 'How many units the decision would settle') units!: number;
  @Shown.text('105.00', 'What the merchants pay for these units, THB') amount!: string;
  @ApiProperty({ type: [MerchantShareDto] }) merchants!: MerchantShareDto[];
  @Shown.integer(3, 'How many orders have these units') orders!: number;
  @Shown.integer(2, 'How many of these orders would end') ending!: number;
  @ApiProperty({ type: [UndecidedUnitDto], description: 'The chosen units that the decision would not settle' })
  left!: UndecidedUnitDto[];
}

export class BatchResolvedDto {
  @ApiProperty({ type: [NamedUnitDto] }) resolved!: NamedUnitDto[];
  @Shown.text('70.00', 'What the merchants pay for the settled units, THB') amount!: string;
  @ApiProperty({ type: [UndecidedUnitDto], description: 'The chosen units that were not settled' })
  left!: UndecidedUnitDto[];
}
