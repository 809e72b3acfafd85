// Torque control with a model of the arm, for ros2_control (ROS 2 Jazzy and later).
//
//     tau = inverse_dynamics(q_ref, qd_ref, qdd_ref) + kp (q_ref - q) + kd (qd_ref - qd)
//
// Friction is that of the reference, so that noise of measured rates does not switch it. Without a reference the arm is held
// against gravity and damped: tau = gravity_forces(q) - kd qd. References come from another controller, for example from
// joint_trajectory_controller with the command interfaces position, velocity and acceleration.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "arm_joints.hpp"
#include "controller_interface/chainable_controller_interface.hpp"

namespace lissom_example
{

using CallbackReturn = controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;

class FeedforwardController : public controller_interface::ChainableControllerInterface
{
public:
  CallbackReturn on_init() override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & previous) override;
  InterfaceConfiguration command_interface_configuration() const override;
  InterfaceConfiguration state_interface_configuration() const override;
  return_type update_and_write_commands(const rclcpp::Time & time, const rclcpp::Duration & period) override;

protected:
  std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() override;
  return_type update_reference_from_subscribers(const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  static constexpr std::size_t N = ARM_JOINTS.size();
  using Joints = std::array<double, N>;

  bool read_parameter(const std::string & name, Joints & values);
  bool read_states();
  bool compute();
  void forget_references();

  Joints kp_{}, kd_{}, limit_{};
  Joints q_{}, qd_{};              // measured
  Joints q_ref_{}, qd_ref_{}, qdd_ref_{}, tau_{};
};

}  // namespace lissom_example
