import { Module } from '@nestjs/common';
import { CompanyAccountsService } from './company-accounts.service.js';
import { CompanySignInsRepository } from './company-sign-ins.repository.js';
import { OperatorSessionsRepository } from './operator-sessions.repository.js';
import { OperatorsModule } from './operators.module.js';
import { SecondFactorService } from './second-factor.service.js';
import { SignInService } from './sign-in.service.js';

const SERVICES = [
  CompanyAccountsService,
  CompanySignInsRepository,
  OperatorSessionsRepository,
  SecondFactorService,
  SignInService,
];

/** Accounts, sessions and signing in. */
@Module({
  imports: [OperatorsModule],
  providers: SERVICES,
  exports: [OperatorsModule, ...SERVICES],
})
export class SignInModule {}
