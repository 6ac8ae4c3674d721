/** Keeps texts that were not saved, in this tab alone, until they are saved or the session is left. */

const prefix = 'vigil-draft:'

export function readDraft<Draft>(name: string): Draft | undefined {
  const text = sessionStorage.getItem(prefix + name)
  return text === null ? undefined : (JSON.parse(text) as Draft)
}

export function writeDraft(name: string, draft: object): void {
  sessionStorage.setItem(prefix + name, JSON.stringify(draft))
}

export function dropDraft(name: string): void {
  sessionStorage.removeItem(prefix + name)
}

export function clearDrafts(): void {
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith(prefix)) sessionStorage.removeItem(name)
  }
}
