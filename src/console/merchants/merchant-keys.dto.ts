import { ApiProperty } from '@nestjs/swagger';
import { MAX_OVERLAP_SECONDS } from '../../auth/api-keys.service.js';
import { Shown } from '../../core/http/answer.decorators.js';
import { parseNetwork } from '../../core/networks.js';
import { Integer, Member, Moment, Text } from '../../core/validation/member.decorators.js';

const KEY_STATES = ['active', 'expired', 'revoked'] as const;
const MAX_NETWORKS = 50;

const NetworkList = (): PropertyDecorator =>
  Member(
    { type: String, isArray: true, maxItems: MAX_NETWORKS },
    (value) => {
      if (!Array.isArray(value)) return { code: 'INVALID_TYPE', words: 'must be an array' };
      if (value.length > MAX_NETWORKS)
        return { code: 'OUT_OF_RANGE', words: `must have at most ${MAX_NETWORKS} elements` };
      const isRight = value.every((each) => typeof each === 'string' && parseNetwork(each) !== undefined);
      return isRight ? null : { code: 'INVALID_VALUE', words: 'must name networks such as 203.0.113.0/24' };
    },
    { optional: true, description: 'Networks that may use the key; absent for any', example: ['203.0.113.0/24'] },
  );

export class IssueKeyDto {
  @Text(1, 128, { optional: true, example: 'checkout' }) name?: string;
  @NetworkList() allowed_networks?: string[];
  @Moment({ optional: true, description: 'Until when the key works; absent for no end' }) expires_at?: string;
}

export class RotateKeyDto {
  @Integer(0, MAX_OVERLAP_SECONDS, { description: 'How long the old key still works', example: 3600 })
  overlap_seconds!: number;
}

export class ConsoleKeyDto {
  @Shown.integer(12) id!: number;
  @Shown.text('topup_z0UwX7', 'The beginning of the key') prefix!: string;
  @Shown.text('checkout', 'Empty for a key without a name') name!: string;
  @ApiProperty({
    type: [String],
    example: ['203.0.113.0/24'],
    description: 'Networks that may use the key; empty for any',
  })
  allowed_networks!: string[];
  @Shown.oneOf(KEY_STATES, 'active') state!: (typeof KEY_STATES)[number];
  @Shown.nullableMoment() expires_at!: Date | null;
  @Shown.nullableMoment() revoked_at!: Date | null;
  @Shown.nullableMoment('The hour in which the key was last used; null if no use is recorded')
  last_used_at!: Date | null;
  @Shown.moment() created_at!: Date;
}

export class ConsoleKeysDto {
  @ApiProperty({ type: [ConsoleKeyDto], description: 'Newest first' }) data!: ConsoleKeyDto[];
}

export class IssuedKeyDto {
  @ApiProperty({ type: ConsoleKeyDto }) api_key!: ConsoleKeyDto;
  @Shown.text('topup_z0UwX7gHnt…', 'The key itself. It is not stored, and never shown again') key!: string;
}
