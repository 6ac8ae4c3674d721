/** Which parts a run measures. */

/** The parts named by `--only`, each once, or all. Throws for a name that no part has. */
export function chosenParts(only: string | undefined, parts: readonly string[]): readonly string[] {
  if (only === undefined) return parts
  const chosen = [...new Set(only.split(',').map((name) => name.trim()))]
  const stranger = chosen.find((name) => !parts.includes(name))
  if (stranger === undefined) return chosen
  throw new Error(`there is no benchmark ${stranger}; there are ${parts.join(', ')}`)
}

/** Whether what is measured is kept: a part measured in a hurry would stand among figures of full runs. */
export function isKept({
  quick,
  only,
}: {
  readonly quick: boolean
  readonly only?: string | undefined
}): boolean {
  return only === undefined || !quick
}
