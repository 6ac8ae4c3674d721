/** Checks and tries a text while it is written: only the answer about the last text counts. */

import { useEffect, useState } from 'preact/hooks'
import { ApiFailure, ask } from '../../api/client.ts'
import type { RuleTestResult } from '../../api/schema.ts'
import { type Sample, toEvidence } from './ruleDraft.ts'

export interface Check {
  readonly state: 'blank' | 'checking' | 'right' | 'wrong' | 'failed'
  /** The last text that was right, whatever it was tried with. */
  readonly text?: string | undefined
  /** Of the last text that was right; older than the text while it is checked. */
  readonly result?: RuleTestResult
  readonly failure?: ApiFailure
}

/** Between keys of one burst. */
const pauseMs = 50

export function useCheck(expression: string, sample: Sample): Check {
  const [check, set] = useState<Check>({ state: 'blank' })
  const sampleText = JSON.stringify(sample)
  useEffect(() => {
    if (expression.trim() === '') return set({ state: 'blank' })
    set((before) => ({ ...before, state: 'checking' }))
    const stopping = new AbortController()
    const timer = setTimeout(() => void run(), pauseMs)
    const { signal } = stopping
    const run = async () => {
      const found = await tryText(expression, sample, signal)
      if (!signal.aborted) set(({ text }) => ({ text, ...found }))
    }
    return () => {
      clearTimeout(timer)
      stopping.abort()
    }
  }, [expression, sampleText])
  return check
}

async function tryText(expression: string, sample: Sample, signal: AbortSignal): Promise<Check> {
  try {
    const body = { expression, evidence: toEvidence(sample) }
    const { value } = await ask('POST /v2/watch/management/rules/test', { body, signal })
    return { state: 'right', result: value, text: expression }
  } catch (error) {
    const failure =
      error instanceof ApiFailure ? error : new ApiFailure(0, { message: String(error) })
    const isOfText = failure.details.some(({ path }) => path === 'expression')
    if (failure.code !== 'invalid_rule' && !isOfText) return { state: 'failed', failure }
    return { state: 'wrong', failure, text: undefined }
  }
}
