import { ApiProperty } from '@nestjs/swagger';
import { parseMicros } from '../../core/cost-money.js';
import { Shown } from '../../core/http/answer.decorators.js';
import {
  Fitting,
  Flag,
  Integer,
  Member,
  Moment,
  OneOf,
  Text,
  type MemberOptions,
} from '../../core/validation/member.decorators.js';
import type { Capability } from '../../suppliers/adapter-description.js';
import { ADAPTER_NAMES } from '../../suppliers/adapters.js';
import { MAX_IN_FLIGHT, MAX_TIMEOUT_MS } from '../../suppliers/supplier-settings.js';
import { Reason } from '../reason.dto.js';

const MAX_CHANGES = 20;

/** Changes of named texts: null removes the text of a name. The service checks names and texts against the adapter. */
export const Changes = (options: MemberOptions): PropertyDecorator =>
  Member(
    { type: 'object', additionalProperties: { type: 'string', nullable: true }, maxProperties: MAX_CHANGES },
    (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return { code: 'INVALID_TYPE', words: 'must be an object' };
      const values: unknown[] = Object.values(value);
      if (values.length > MAX_CHANGES)
        return { code: 'OUT_OF_RANGE', words: `must have at most ${MAX_CHANGES} members` };
      const areTexts = values.every((each) => typeof each === 'string' || each === null);
      return areTexts ? null : { code: 'INVALID_VALUE', words: 'must have texts, or null to remove one' };
    },
    { optional: true, ...options },
  );

export class SetSupplierDto {
  @OneOf(ADAPTER_NAMES, { example: 'http' }) adapter!: string;
  @Text(1, 2_048, {
    optional: true,
    example: 'https://api.acme.example/v1',
    description: 'Unless given, the address that the supplier has, or for a new supplier the vendor’s own',
  })
  base_url?: string;
  @Changes({
    description:
      'Credentials that are not given are kept; null removes a credential. Credentials are never shown. Another host in `base_url` needs all secret credentials again',
  })
  credentials?: Record<string, string | null>;
  @Changes({
    description: 'Options that are not given are kept; null removes an option',
    example: { testing: 'true' },
  })
  options?: Record<string, string | null>;
  @Integer(1, MAX_TIMEOUT_MS, { example: 10_000 }) timeout_ms!: number;
  @Integer(1, MAX_IN_FLIGHT, {
    optional: true,
    nullable: true,
    description:
      'The most calls at once, over all workers; null for SUPPLIER_MAX_IN_FLIGHT, of which each worker has an equal share',
  })
  max_in_flight?: number | null;
  @Fitting((value) => parseMicros(value) !== null, 'must be an amount such as 500 or 23.5', {
    optional: true,
    nullable: true,
    example: '500.00',
    description:
      'Our balance with the supplier counts as low below this amount, in the supplier’s currency; null for no limit',
  })
  low_balance?: string | null;
  @Flag({
    optional: true,
    description: 'Makes a new callback address for the supplier; the earlier address stops working',
  })
  new_callback_url?: boolean;
  @Flag({
    optional: true,
    description: 'Accepts another address or account even if units are open at the earlier one',
  })
  leave_units?: boolean;
  @Moment({
    optional: true,
    nullable: true,
    description: 'The `updated_at` that the operator saw; null for a new supplier',
  })
  expected_updated_at?: string | null;
  @Reason({ optional: true }) reason?: string;
}

export class RemovedSupplierDto {
  @Shown.text('acme') code!: string;
}

export class CredentialFieldDto {
  @Shown.text('token') name!: string;
  @Shown.flag(true, 'Whether the credential is a secret, and not just a name; no credential is ever shown')
  secret!: boolean;
  @Shown.flag(true) required!: boolean;
  @Shown.text('bearer token') help!: string;
}

export class OptionFieldDto {
  @Shown.text('testing') name!: string;
  @ApiProperty({ type: [String], nullable: true, example: ['true', 'false'], description: 'Null for any text' })
  values!: string[] | null;
  @Shown.text('whether nothing is really bought') help!: string;
}

export class AdapterDto {
  @Shown.text('http') adapter!: string;
  @Shown.text('HTTP supplier') name!: string;
  @Shown.nullableText('https://api.vendor.example', 'The vendor’s own; null where one must be given') base_url!:
    string | null;
  @Shown.nullableText('THB', 'The vendor’s currency; null where the vendor’s answers name it') currency!: string | null;
  @ApiProperty({ type: [CredentialFieldDto] }) credentials!: CredentialFieldDto[];
  @ApiProperty({ type: [OptionFieldDto] }) options!: OptionFieldDto[];
  @ApiProperty({ type: [String], example: ['balance', 'catalogue'], description: 'What the adapter can do' })
  capabilities!: Capability[];
}

export class AdaptersDto {
  @ApiProperty({ type: [AdapterDto] }) data!: AdapterDto[];
}
