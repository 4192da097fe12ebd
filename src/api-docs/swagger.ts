import type { INestApplication } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { DepositDto, PaidDepositDto } from '../deposits/deposit.dto.js';
import { declareEvents } from './openapi-events.js';
import { declareHeaders } from './openapi-headers.js';
import { pageHeaders } from './site.js';
import { BACK_SCRIPT, SWAGGER_CSS } from './swagger-style.js';

/** The address of `BACK_SCRIPT`, which needs one because the page's content security policy allows no inline script. */
const BACK = '/docs/back.js';

const DESCRIPTION = `Order game top-ups by SKU, pay from a prepaid THB wallet, and follow each order by polling or by signed webhooks.

Every request carries the header \`X-API-Key\`. Every error has the body \`{ status, code, message, details? }\`, and every answer the header \`X-Request-Id\`.`;

/** An SPDX identifier: OpenAPI 3.1 allows it, Nest's types do not know it. */
const LICENCE: OpenAPIObject['info']['license'] & { identifier: string } = {
  name: 'Proprietary',
  identifier: 'LicenseRef-Proprietary',
};

/** The OpenAPI document, made from the controllers and DTOs. */
export function createOpenApi(app: INestApplication): OpenAPIObject {
  const options = new DocumentBuilder()
    .setTitle('Order Top-up API')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .addServer('/', 'The server of this document')
    .addServer('http://127.0.0.1:3000', 'The local stack (`npm start`)')
    .addTag('Orders', 'Order top-ups, and follow them to their end')
    .addTag('Wallet', 'The prepaid balance and its movements')
    .addTag('Deposits', 'Pay into the wallet by QR code')
    .addTag('Products', 'The products that you can order, at your prices')
    .addTag('Players', 'Find out whether a player exists')
    .addTag('Webhooks', 'Receive an event when an order ends, and see its deliveries')
    .addTag('Events', 'All events in order, for merchants that missed a delivery or have no webhook')
    .addTag('Sandbox', 'For merchants who try the service out')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'api-key')
    .build();
  const document = SwaggerModule.createDocument(app, options, {
    extraModels: [DepositDto, PaidDepositDto],
    operationIdFactory: (controller, method) => `${controller.replace('Controller', '')}_${method}`,
  });
  document.info.license = LICENCE;
  return declareHeaders(declareEvents(document));
}

/** Serves Swagger UI at /docs and the document at /docs-json. Swagger UI forgets the API key when its page closes. */
export function setUpSwagger(app: INestApplication): void {
  app.use(['/docs', '/docs-json'], pageHeaders(["'self'", "'unsafe-inline'"]));
  app.use(BACK, ((_request, response) => response.type('js').send(BACK_SCRIPT)) satisfies RequestHandler);
  SwaggerModule.setup('docs', app, () => createOpenApi(app), {
    jsonDocumentUrl: 'docs-json',
    customSiteTitle: 'Order Top-up API',
    customCss: SWAGGER_CSS,
    customJs: BACK,
    swaggerOptions: {
      displayRequestDuration: true,
      tryItOutEnabled: true,
      defaultModelsExpandDepth: 0,
      // The page must not send the document to a validator on another host.
      validatorUrl: 'none',
    },
  });
}
