/** Declares the writable form of a type, to build objects field by field. */
/** Spreading objects takes several times as long, which counts in code that runs for every request. */
export type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] }
