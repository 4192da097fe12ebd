import { Module } from '@nestjs/common';
import { OperatorsRepository } from './operators.repository.js';
import { OperatorsService } from './operators.service.js';

/**
 * Accounts without sessions. The command line uses it without SignInModule, so that it works without the key for
 * secrets.
 */
@Module({
  providers: [OperatorsRepository, OperatorsService],
  exports: [OperatorsRepository, OperatorsService],
})
export class OperatorsModule {}
