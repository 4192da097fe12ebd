import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

const DESCRIPTION = `Order game top-ups by SKU, pay from a prepaid THB wallet, and follow each order by polling or by signed webhooks.

Every request carries the header \`X-API-Key\`. Every error has the body \`{ status, code, message, details? }\`, and every answer the header \`X-Request-Id\`.`;

/** The OpenAPI document, made from the controllers and DTOs. */
export function createOpenApi(app: INestApplication): OpenAPIObject {
  const options = new DocumentBuilder()
    .setTitle('Order Top-up API')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'api-key')
    .build();
  return SwaggerModule.createDocument(app, options, {
    operationIdFactory: (controller, method) => `${controller.replace('Controller', '')}_${method}`,
  });
}

/** Serves Swagger UI at /docs and the document at /docs-json. */
export function setUpSwagger(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => createOpenApi(app), {
    jsonDocumentUrl: 'docs-json',
    customSiteTitle: 'Order Top-up API',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, tryItOutEnabled: true },
  });
}
