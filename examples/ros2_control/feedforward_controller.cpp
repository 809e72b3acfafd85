#include "feedforward_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arm_model.h"
#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace lissom_example
{

namespace
{
constexpr double NONE = std::numeric_limits<double>::quiet_NaN();
// order of the reference interfaces of a joint
const std::array<const char *, 3> REFERENCES = {
  hardware_interface::HW_IF_POSITION, hardware_interface::HW_IF_VELOCITY, hardware_interface::HW_IF_ACCELERATION};

std::string interface_of(const char * joint, const char * quantity) { return std::string(joint) + "/" + quantity; }
}  // namespace

CallbackReturn FeedforwardController::on_init()
{
  auto_declare<std::vector<double>>("kp", {});      // one number per joint [N m/rad]
  auto_declare<std::vector<double>>("kd", {});      // [N m s/rad]
  auto_declare<std::vector<double>>("limit", {});   // largest torque [N m]
  return CallbackReturn::SUCCESS;
}

CallbackReturn FeedforwardController::on_configure(const rclcpp_lifecycle::State &)
{
  const bool complete = read_parameter("kp", kp_) && read_parameter("kd", kd_) && read_parameter("limit", limit_);
  return complete ? CallbackReturn::SUCCESS : CallbackReturn::FAILURE;
}

bool FeedforwardController::read_parameter(const std::string & name, Joints & values)
{
  const auto given = get_node()->get_parameter(name).as_double_array();
  const bool valid = given.size() == N && std::all_of(given.begin(), given.end(), [](double x) { return x >= 0; });
  if (!valid) {
    RCLCPP_ERROR(
      get_node()->get_logger(), "%s has %zu numbers; expected %zu numbers, zero or above", name.c_str(), given.size(), N);
    return false;
  }
  std::copy(given.begin(), given.end(), values.begin());
  return true;
}

CallbackReturn FeedforwardController::on_activate(const rclcpp_lifecycle::State &)
{
  forget_references();
  return CallbackReturn::SUCCESS;
}

CallbackReturn FeedforwardController::on_deactivate(const rclcpp_lifecycle::State &)
{
  bool written = true;
  for (auto & command : command_interfaces_) {
    written = command.set_value(0.0) && written;  // brakes hold the arm from here on
  }
  return written ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
}

InterfaceConfiguration FeedforwardController::command_interface_configuration() const
{
  InterfaceConfiguration wanted{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  for (const char * joint : ARM_JOINTS) {
    wanted.names.push_back(interface_of(joint, hardware_interface::HW_IF_EFFORT));
  }
  return wanted;
}

InterfaceConfiguration FeedforwardController::state_interface_configuration() const
{
  InterfaceConfiguration wanted{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  for (const char * joint : ARM_JOINTS) {
    wanted.names.push_back(interface_of(joint, hardware_interface::HW_IF_POSITION));
    wanted.names.push_back(interface_of(joint, hardware_interface::HW_IF_VELOCITY));
  }
  return wanted;
}

std::vector<hardware_interface::CommandInterface> FeedforwardController::on_export_reference_interfaces()
{
  reference_interfaces_.assign(REFERENCES.size() * N, NONE);  // not resized again: others hold pointers into it
  std::vector<hardware_interface::CommandInterface> exported;
  for (std::size_t i = 0; i < reference_interfaces_.size(); ++i) {
    const auto name = interface_of(ARM_JOINTS[i / REFERENCES.size()], REFERENCES[i % REFERENCES.size()]);
    exported.emplace_back(get_node()->get_name(), name, &reference_interfaces_[i]);
  }
  return exported;
}

return_type FeedforwardController::update_reference_from_subscribers(const rclcpp::Time &, const rclcpp::Duration &)
{
  forget_references();  // no controller is in front of this one
  return return_type::OK;
}

return_type FeedforwardController::update_and_write_commands(const rclcpp::Time &, const rclcpp::Duration &)
{
  if (!read_states() || !compute()) {
    return return_type::ERROR;  // a measurement is missing or not finite: the manager deactivates the controller
  }
  bool written = true;
  for (std::size_t i = 0; i < N; ++i) {
    written = command_interfaces_[i].set_value(std::clamp(tau_[i], -limit_[i], limit_[i])) && written;
  }
  return written ? return_type::OK : return_type::ERROR;
}

bool FeedforwardController::read_states()
{
  for (std::size_t i = 0; i < N; ++i) {
    const auto position = state_interfaces_[2 * i].get_optional();
    const auto velocity = state_interfaces_[2 * i + 1].get_optional();
    q_[i] = position.value_or(NONE);
    qd_[i] = velocity.value_or(NONE);
    q_ref_[i] = reference_interfaces_[3 * i];
    qd_ref_[i] = reference_interfaces_[3 * i + 1];
    qdd_ref_[i] = reference_interfaces_[3 * i + 2];
  }
  const auto finite = [](const Joints & values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  };
  return finite(q_) && finite(qd_);
}

bool FeedforwardController::compute()
{
  const bool referred = std::none_of(
    reference_interfaces_.begin(), reference_interfaces_.end(), [](double x) { return std::isnan(x); });
  const int failed = referred
    ? arm_model_inverse_dynamics(q_ref_.data(), qd_ref_.data(), qdd_ref_.data(), tau_.data())
    : arm_model_gravity_forces(q_.data(), tau_.data());
  for (std::size_t i = 0; i < N; ++i) {
    tau_[i] += referred ? kp_[i] * (q_ref_[i] - q_[i]) + kd_[i] * (qd_ref_[i] - qd_[i]) : -kd_[i] * qd_[i];
  }
  return failed == 0;
}

void FeedforwardController::forget_references()
{
  std::fill(reference_interfaces_.begin(), reference_interfaces_.end(), NONE);
}

}  // namespace lissom_example

PLUGINLIB_EXPORT_CLASS(lissom_example::FeedforwardController, controller_interface::ChainableControllerInterface)
