import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '../../core/http/answer.decorators.js';
import { Flag, OneOf, Text } from '../../core/validation/member.decorators.js';
import { ROLES, type Role } from '../../operators/roles.js';
import { Reason } from '../reason.dto.js';

const STATES = ['active', 'invited', 'disabled'] as const;

export class InviteDto {
  @Text(3, 128, { description: 'The address with which the operator signs in', example: 'nok@example.com' })
  email!: string;
  @Text(1, 128, { example: 'Nok' }) name!: string;
  @OneOf(ROLES) role!: Role;
}

/** A change of the role or of `active`, but not of both. */
export class ChangeOperatorDto {
  @OneOf(ROLES, { optional: true }) role?: Role;
  @OneOf(ROLES, { optional: true, description: 'The role that the page showed. 409 if the role has changed since' })
  expected_role?: Role;
  @Flag({ optional: true, description: 'False signs the operator out everywhere' }) active?: boolean;
  @Reason({ optional: true }) reason?: string;
}

/** An account of the console. */
export class AccountDto {
  @Shown.integer(3) id!: number;
  @Shown.text('nok@example.com') email!: string;
  @Shown.text('Nok') name!: string;
  @Shown.oneOf(ROLES, 'support') role!: Role;
  @Shown.oneOf(STATES, 'active', '`invited`: there is neither a password nor a company sign-in yet')
  state!: (typeof STATES)[number];
  @Shown.flag(true) second_factor!: boolean;
  @Shown.flag(false, 'Whether the operator signs in with the company’s account') company_sign_in!: boolean;
  @Shown.nullableMoment('Until when the first company sign-in with this address is linked to the account')
  company_link_until!: Date | null;
  @Shown.nullableMoment() last_sign_in_at!: Date | null;
  @Shown.nullableMoment('Until when wrong passwords or codes keep the operator out') locked_until!: Date | null;
  @Shown.nullableMoment('Until when the link to set a password works') link_until!: Date | null;
  @Shown.moment() created_at!: Date;
}

export class InvitationDto {
  @ApiProperty({ type: AccountDto }) operator!: AccountDto;
  @Shown.text('https://console.example.com/set-up#Zr0…', 'Sets the password, once. Only this answer shows it')
  link!: string;
  @Shown.moment('Until when the link works') until!: Date;
}
