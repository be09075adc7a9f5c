export { type FileOfDefinition, filesOf } from "./files-of.ts";
export { folderLimits, promptPath, protocolFile, referencePath, settingsFile } from "./layout.ts";
export { type FileChange, type FolderPlan, planAgentFolder } from "./plan-agent-folder.ts";
export type { FolderProblem } from "./problems.ts";
export { readAgentFolder } from "./read-agent-folder.ts";
export { locateSetting } from "./settings-file.ts";
export { type WriteResult, writeAgentFolder } from "./write-agent-folder.ts";
