import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../../core/config.js';
import { OperatorSessionsRepository } from '../../operators/operator-sessions.repository.js';
import { SignInModule } from '../../operators/sign-in.module.js';
import { AccountsController } from './accounts.controller.js';
import { AccountsService } from './accounts.service.js';
import { CompanyProvider } from '../../operators/company/company-provider.js';
import { CompanySignInController } from './company-sign-in.controller.js';
import { CompanySignInService } from './company-sign-in.service.js';
import { MeController } from './me.controller.js';
import { MeService } from './me.service.js';
import { SessionController } from './session.controller.js';
import { SessionStore } from './session-store.js';
import { SessionsService } from './sessions.service.js';

/** Sign-in, the operator's own account, and the accounts of others. */
@Module({
  imports: [SignInModule],
  controllers: [SessionController, CompanySignInController, MeController, AccountsController],
  providers: [
    {
      provide: SessionStore,
      inject: [OperatorSessionsRepository, CONFIG],
      useFactory: (sessions: OperatorSessionsRepository, config: Config) => new SessionStore(sessions, config),
    },
    AccountsService,
    CompanyProvider,
    CompanySignInService,
    MeService,
    SessionsService,
  ],
  exports: [SignInModule, SessionStore],
})
export class AccessModule {}
