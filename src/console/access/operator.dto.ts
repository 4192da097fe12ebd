import { ApiProperty } from '@nestjs/swagger';
import { ApiMoment } from '../../core/http/answer.decorators.js';
import { Flag, OneOf, Text } from '../../core/validation/member.decorators.js';
import { ROLES, type Role } from '../../operators/roles.js';

const STATES = ['active', 'invited', 'disabled'] as const;

const Reason = (): PropertyDecorator =>
  Text(1, 500, { optional: true, description: 'For the log', example: 'ticket 4711' });

export class InviteDto {
  @Text(3, 128, { description: 'To sign in with', example: 'nok@example.com' }) email!: string;
  @Text(1, 128, { example: 'Nok' }) name!: string;
  @OneOf(ROLES) role!: Role;
}

/** One of the two: another role, or whether the account lets anybody in. */
export class ChangeOperatorDto {
  @OneOf(ROLES, { optional: true }) role?: Role;
  @OneOf(ROLES, { optional: true, description: 'The role that was shown: 409 where it is another by now' })
  expected_role?: Role;
  @Flag({ optional: true, description: 'False signs the operator out everywhere' }) active?: boolean;
  @Reason() reason?: string;
}

export class OperatorReasonDto {
  @Reason() reason?: string;
}

/** An account of the console. */
export class AccountDto {
  @ApiProperty({ type: 'integer', example: 3 }) id!: number;
  @ApiProperty({ example: 'nok@example.com' }) email!: string;
  @ApiProperty({ example: 'Nok' }) name!: string;
  @ApiProperty({ enum: ROLES, example: 'support' }) role!: Role;
  @ApiProperty({ enum: STATES, example: 'active', description: '`invited`: there is no password yet' })
  state!: (typeof STATES)[number];
  @ApiProperty({ example: true }) second_factor!: boolean;
  @ApiProperty({ example: false, description: 'Whether the operator signs in with the company’s account' })
  company_sign_in!: boolean;
  @ApiMoment({
    nullable: true,
    description: 'Until when whoever comes by company sign-in with this address becomes its operator',
  })
  company_link_until!: string | null;
  @ApiMoment({ nullable: true }) last_sign_in_at!: string | null;
  @ApiMoment({ nullable: true, description: 'Until when wrong passwords or codes keep the operator out' })
  locked_until!: string | null;
  @ApiMoment({ nullable: true, description: 'Until when the link to set a password works' })
  link_until!: string | null;
  @ApiMoment() created_at!: string;
}

export class InvitationDto {
  @ApiProperty({ type: AccountDto }) operator!: AccountDto;
  @ApiProperty({
    example: 'https://console.example.com/set-up#Zr0…',
    description: 'Sets the password, once. Shown this once',
  })
  link!: string;
  @ApiMoment({ description: 'Until when it works' }) until!: string;
}
