import { ApiProperty } from '@nestjs/swagger';
import type { UnitFailureCode } from '../../core/failures.js';
import { Shown } from '../../core/http/answer.decorators.js';
import { Flag, ListOf, OneOf, Text } from '../../core/validation/member.decorators.js';
import { UNIT_STATES } from '../../orders/states.js';
import { UNIT_FAILURE_CODES } from './decision.dto.js';
import { MerchantNameDto } from './order.dto.js';

const MAX_UNITS = 100;

export class NamedUnitDto {
  @Text(1, 64, { example: 'ord_Np3O7rcsqNmBTwD7' }) order_number!: string;
  @Text(3, 7, { example: '1.2' }) unit!: string;
}

export class ChosenUnitDto extends NamedUnitDto {
  @Text(1, 128, {
    optional: true,
    example: 'acme',
    description: 'Where it was when it was chosen, by its code: a unit that is elsewhere by now is left',
  })
  supplier?: string;
}

export class NamedUnitsDto {
  @ListOf(ChosenUnitDto, 1, MAX_UNITS, { description: 'Each once; all of one supplier, or of one order' })
  units!: ChosenUnitDto[];
}

export class ResolveManyDto extends NamedUnitsDto {
  @Flag({ description: 'Whether the supplier delivered them' }) succeeded!: boolean;
  @OneOf(UNIT_FAILURE_CODES, { optional: true, description: 'Why, if they failed' }) failure_code?: UnitFailureCode;
  @Text(1, 500, { description: 'For the log, of each unit', example: 'acme’s outage: ticket 4711' }) reason!: string;
}

export class MerchantShareDto extends MerchantNameDto {
  @Shown.integer(2) units!: number;
  @Shown.text('70.00', 'THB') amount!: string;
}

/** A unit that a decision does not settle. */
export class UndecidedUnitDto extends NamedUnitDto {
  @Shown.oneOf(UNIT_STATES, 'succeeded') state!: string;
  @Shown.text('acme', 'Where it is now') supplier!: string;
  @Shown.nullableText('Nok', 'The operator who decided about it; null where none did') decided_by!: string | null;
}

export class BatchPreviewDto {
  @Shown.integer(3, 'How many can be decided about') units!: number;
  @Shown.text('105.00', 'What their merchants pay for them, THB') amount!: string;
  @ApiProperty({ type: [MerchantShareDto] }) merchants!: MerchantShareDto[];
  @Shown.integer(3, 'Of how many orders they are') orders!: number;
  @Shown.integer(2, 'How many of these would end') ending!: number;
  @ApiProperty({ type: [UndecidedUnitDto], description: 'Those that cannot be decided about now' })
  left!: UndecidedUnitDto[];
}

export class BatchResolvedDto {
  @ApiProperty({ type: [NamedUnitDto] }) resolved!: NamedUnitDto[];
  @Shown.text('70.00', 'What their merchants pay for them, THB') amount!: string;
  @ApiProperty({ type: [UndecidedUnitDto], description: 'As they stand now' }) left!: UndecidedUnitDto[];
}
