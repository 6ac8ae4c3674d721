/** The resource in the answer of a command that saved it: without what its author is warned of. */
export function withoutWarnings(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { warnings: _, ...resource } = body
  return resource
}
