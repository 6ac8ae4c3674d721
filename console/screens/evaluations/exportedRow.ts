/** Declares the columns that the list asks for. */

export const columns =
  'flow,verdict,class,recipe_verdict,score,threshold,partial,target.phone_number,target.email_address,labels'

export interface ExportedRow {
  readonly id: string
  readonly evaluated_at: string
  readonly flow: string
  readonly verdict: 'PASS' | 'FLAG'
  readonly class?: 'fraud' | 'legitimate'
  /** Of each live recipe, as are those below; integers are text. */
  readonly score?: readonly (string | number)[]
  readonly threshold?: readonly (string | number)[]
  readonly partial?: readonly boolean[]
  readonly 'target.phone_number'?: string
  readonly 'target.email_address'?: string
  readonly labels?: readonly string[]
  readonly forgotten?: boolean
}
