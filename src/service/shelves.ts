export const ruleShelf: any = 1, recipeShelf: any = 1, flowShelf: any = 1
export function openShelfReader(house: any, kind: any): any { return {} }
