import { describeForgeries } from './forgeries.js';

describeForgeries(800);
