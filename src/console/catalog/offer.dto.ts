import { Shown } from '../../core/http/answer.decorators.js';
import { Cursor } from '../../core/http/page-query.dto.js';
import { Fitting, Flag, Integer, Moment, Text } from '../../core/validation/member.decorators.js';
import { parseMicros } from '../../core/cost-money.js';
import { MAX_PRIORITY } from '../../catalog/offer-definition.js';
import { Reason } from '../reason.dto.js';

export const UNKNOWN_OR_HIDDEN = 'Null if it is unknown, and for operators who may not see costs';

export class OfferDto {
  @Shown.text('MLBB-86') sku!: string;
  @Shown.text('acme') supplier!: string;
  @Shown.text('ML86') supplier_sku!: string;
  @Shown.integer(1) priority!: number;
  @Shown.nullableText('14800', `In the supplier’s currency. ${UNKNOWN_OR_HIDDEN}`) cost!: string | null;
  @Shown.nullableText('IDR') currency!: string | null;
  @Shown.nullableText('31.20', `At the present exchange rate. ${UNKNOWN_OR_HIDDEN}`) cost_baht!: string | null;
  @Shown.nullableText('3.80', `The list price minus the cost. ${UNKNOWN_OR_HIDDEN}`) margin_baht!: string | null;
  @Shown.nullableText('{user}({server})') player_template!: string | null;
  @Shown.number(5, 'How much more than expected a purchase may cost, in percent') guard_percent!: number;
  @Shown.flag() active!: boolean;
  @Shown.flag('Whether orders can use the offer now') routable!: boolean;
  @Shown.nullableText('it is off: too dear', 'The first reason why the offer is not routable') why_not!: string | null;
  @Shown.flag('Whether a new order would use this offer') in_use!: boolean;
  @Shown.nullableMoment() updated_at!: Date | null;
}

export class OffersQueryDto {
  @Text(1, 64, { optional: true, description: 'Offers of this product' }) sku?: string;
  @Text(1, 128, { optional: true, description: 'Offers of the supplier with this code' }) supplier?: string;
  @Text(1, 128, { optional: true, description: 'A part of our SKU or of the supplier’s' }) q?: string;
  @Cursor() cursor?: string;
}

export class OfferNameDto {
  @Text(1, 64, { example: 'MLBB-86' }) sku!: string;
  @Text(1, 128, { example: 'acme' }) supplier!: string;
  @Text(1, 128, { example: 'ML86' }) supplier_sku!: string;
}

const PERCENT = /^\d{1,3}(\.\d{1,2})?$/;

export class SetOfferDto extends OfferNameDto {
  @Integer(1, MAX_PRIORITY, { optional: true, description: '1 comes first' }) priority?: number;
  @Fitting(
    (value) => parseMicros(value) !== null,
    'must be an amount such as 14800 or 23.5, with up to six fraction digits',
    {
      optional: true,
      nullable: true,
      example: '14800',
      description: 'The cost of one unit; null removes it',
    },
  )
  cost?: string | null;
  @Fitting((value) => /^[A-Z]{3}$/.test(value), 'must be a currency by its three letters, such as IDR', {
    optional: true,
    example: 'IDR',
  })
  currency?: string;
  @Fitting((value) => PERCENT.test(value), 'must be a percentage such as 5 or 2.5', { optional: true, example: '5' })
  guard_percent?: string;
  @Text(1, 500, {
    optional: true,
    nullable: true,
    description: 'How the supplier wants the player written; null for the adapter’s default',
  })
  player_template?: string | null;
  @Flag({ optional: true, description: 'Whether orders may use the offer' }) active?: boolean;
  @Moment({
    optional: true,
    nullable: true,
    description: 'The `updated_at` that the page showed; null or absent for a new offer',
  })
  expected_updated_at?: string | null;
  @Integer(0, 10_000, {
    optional: true,
    description: 'The number of routable offers after the change, as the page showed it. 409 if it differs',
  })
  expected_routable?: number;
  @Reason({ optional: true, description: 'For the log. An offer that is off shows this reason' }) reason?: string;
}
