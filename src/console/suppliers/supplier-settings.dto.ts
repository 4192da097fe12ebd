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

const MAX_CHANGES = 20;

/** Texts by name: null removes one. The service checks names and texts against the adapter. */
const Changes = (options: MemberOptions): PropertyDecorator =>
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
    description: 'Unless given, the one that it has, or else the vendor’s',
  })
  base_url?: string;
  @Changes({
    description:
      'Those that are not given are kept; null removes one. They are never shown, and another host needs the secret ones anew',
  })
  credentials?: Record<string, string | null>;
  @Changes({ description: 'Those that are not given are kept; null removes one', example: { testing: 'true' } })
  options?: Record<string, string | null>;
  @Integer(1, MAX_TIMEOUT_MS, { example: 10_000 }) timeout_ms!: number;
  @Integer(1, MAX_IN_FLIGHT, {
    optional: true,
    nullable: true,
    description: 'Calls at once, over all workers; null for SUPPLIER_MAX_IN_FLIGHT, which workers share',
  })
  max_in_flight?: number | null;
  @Fitting((value) => parseMicros(value) !== null, 'must be an amount such as 500 or 23.5', {
    optional: true,
    nullable: true,
    example: '500.00',
    description: 'The balance below which it is low, in its currency; null for none',
  })
  low_balance?: string | null;
  @Flag({ optional: true, description: 'It is to call us at another address; the one before ends' })
  new_callback_url?: boolean;
  @Flag({ optional: true, description: 'Takes another address or account although units are open at the one before' })
  leave_units?: boolean;
  @Moment({ optional: true, nullable: true, description: 'As it was shown; null for one that is added' })
  expected_updated_at?: string | null;
  @Text(1, 500, { optional: true, description: 'For the log' }) reason?: string;
}

export class RemoveSupplierDto {
  @Text(1, 500, { optional: true, description: 'For the log' }) reason?: string;
}

export class RemovedSupplierDto {
  @Shown.text('acme') code!: string;
}

export class CredentialFieldDto {
  @Shown.text('token') name!: string;
  @Shown.flag(true, 'Whether it is kept from those who look on; none is ever shown') secret!: boolean;
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
  @Shown.nullableText('THB', 'What the vendor reckons in; null where its answers tell') currency!: string | null;
  @ApiProperty({ type: [CredentialFieldDto] }) credentials!: CredentialFieldDto[];
  @ApiProperty({ type: [OptionFieldDto] }) options!: OptionFieldDto[];
  @ApiProperty({ type: [String], example: ['balance', 'catalogue'], description: 'What it can do' })
  capabilities!: Capability[];
}

export class AdaptersDto {
  @ApiProperty({ type: [AdapterDto] }) data!: AdapterDto[];
}
