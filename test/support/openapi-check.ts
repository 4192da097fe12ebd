interface Checker {
  problemsOfAnswer(
    method: string,
    target: string,
    status: number,
    fields: [name: string, value: string][],
    body: unknown,
  ): string[];
  problemsOfDelivery(fields: Record<string, string>, text: string): string[];
}

// Node's loader, which keeps its modules between test files; Jest's loaders do not.
const { createRequire } = process.getBuiltinModule('node:module');
const checker = createRequire(import.meta.url)('./openapi-checker.cjs') as Checker;

/**
 * Compares status, headers and body of an answer of the merchant API with openapi.json. Members that the document lacks are
 * wrong.
 * @throws with every difference.
 */
export function checkAnswer(
  method: string,
  target: string,
  answer: { status: number; headers: Headers; body: unknown },
): void {
  const { status, headers, body } = answer;
  const problems = checker.problemsOfAnswer(method, target, status, [...headers.entries()], body);
  if (problems.length > 0)
    throw new Error(
      `${method} ${target} answered ${status} otherwise than openapi.json says:\n- ${problems.join('\n- ')}\n` +
        `It was: ${JSON.stringify(body)}`,
    );
}

/** Compares a delivery to a webhook with openapi.json. @returns the differences, or null. */
export function problemOfDelivery(headers: Record<string, string>, body: string): string | null {
  const problems = checker.problemsOfDelivery(headers, body);
  if (problems.length === 0) return null;
  return `A delivery was otherwise than openapi.json says:\n- ${problems.join('\n- ')}\nIt was: ${body}`;
}
