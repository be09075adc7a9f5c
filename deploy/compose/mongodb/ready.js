// The health check of MongoDB, for mongosh: healthy once its users exist and this member accepts writes. The first check initiates the
// replica set and creates `root`, which MongoDB allows from its own host while it has no user.
const { MONGODB_PASSWORD, MONGODB_ROOT_PASSWORD } = process.env;
const admin = db.getSiblingDB("admin");

function authenticate() {
  try {
    return admin.auth("root", MONGODB_ROOT_PASSWORD).ok === 1;
  } catch (error) {
    if (error.codeName !== "AuthenticationFailed") throw error;
    return false;
  }
}

function initiate() {
  try {
    rs.initiate({ _id: "rs0", members: [{ _id: 0, host: "mongodb:27017" }] });
  } catch (error) {
    if (error.codeName !== "AlreadyInitialized") throw error;
  }
  requirePrimary();
}

function requirePrimary() {
  if (!db.hello().isWritablePrimary) quit(1);
}

if (!authenticate()) {
  initiate();
  admin.createUser({ user: "root", pwd: MONGODB_ROOT_PASSWORD, roles: ["root"] });
  authenticate();
}
requirePrimary();
// `mongorestore --oplogReplay` needs every right, which the role `root` lacks.
if (admin.getRole("everything") === null) {
  const privileges = [{ resource: { anyResource: true }, actions: ["anyAction"] }];
  admin.createRole({ role: "everything", privileges, roles: [] });
  admin.grantRolesToUser("root", ["everything"]);
}
if (admin.getUser("muster") === null) {
  const names = ["auth", "agents", "sessions", "workforce"];
  const roles = names.map((name) => ({ role: "readWrite", db: `muster_${name}` }));
  admin.createUser({ user: "muster", pwd: MONGODB_PASSWORD, roles });
}
