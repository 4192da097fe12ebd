import { Module } from '@nestjs/common';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { UnitInquiryService } from './unit-inquiry.service.js';

@Module({ imports: [SuppliersModule], providers: [UnitInquiryService], exports: [UnitInquiryService] })
export class UnitInquiryModule {}
