import { Module } from '@nestjs/common';
import { OperatorSessionsRepository } from './operator-sessions.repository.js';
import { OperatorsModule } from './operators.module.js';
import { SecondFactorService } from './second-factor.service.js';
import { SignInService } from './sign-in.service.js';

/** The accounts, and how they are signed in to. */
@Module({
  imports: [OperatorsModule],
  providers: [OperatorSessionsRepository, SecondFactorService, SignInService],
  exports: [OperatorsModule, OperatorSessionsRepository, SecondFactorService, SignInService],
})
export class SignInModule {}
