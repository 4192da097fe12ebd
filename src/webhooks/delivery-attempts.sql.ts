/**
 * A LATERAL subquery for the attempts of a delivery, with the columns of `webhook_attempts`. A successful first attempt is
 * stored in the row of the delivery, because the service writes that row anyway when it records the attempt.
 * @param delivery the alias of the delivery's row.
 */
export const attemptsOf = (delivery: string): string => `(
  SELECT number, started_at, duration_ms, response_status, error, response_body FROM webhook_attempts
  WHERE delivery_id = ${delivery}.id
  UNION ALL
  SELECT 1, ${delivery}.first_started_at, ${delivery}.first_duration_ms, ${delivery}.first_response_status, NULL,
         ${delivery}.first_response_body
  WHERE ${delivery}.first_started_at IS NOT NULL)`;

/** The attempts of all deliveries, as a FROM item. */
export const DELIVERY_ATTEMPTS = `(
  SELECT d.id AS delivery_id, a.* FROM webhook_deliveries d CROSS JOIN LATERAL ${attemptsOf('d')} a)`;
